import { isCarriedExactly } from './exact-number.ts';

/** Deeper than any object of the API by far, shallow enough that whatever walks a parsed value recursively is safe. */
export const maxJsonDepth = 256;

/** What makes a text unacceptable as JSON, and where it stands. Lines and columns count from 1. */
export interface JsonFault {
  readonly what: string;
  readonly line: number;
  readonly column: number;
  /** Path of the field, such as `spec.containers[0]`; empty at the top. */
  readonly field: string;
}

/** The first fault of a text; undefined when there is none. Slow beside `JSON.parse`: for texts that are known to be odd. */
export function findJsonFault(text: string): JsonFault | undefined {
  return new FaultFinder(text).find();
}

const blank = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /[-+.\w]+/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const firstPrintable = 0x20;
const quote = 0x22;
const backslash = 0x5c;
const literals = new Set(['true', 'false', 'null']);
const fieldName = /^[A-Za-z_$][-\w$]*$/;

/** Reads JSON for its mistakes only. Its reading methods say whether all was well; the first mistake is kept. */
class FaultFinder {
  readonly #text: string;
  #at = 0;
  #fault: JsonFault | undefined;
  readonly #path: (string | number)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  find(): JsonFault | undefined {
    if (this.#value()) {
      this.#skipBlanks();
      if (this.#at < this.#text.length) this.#fail(`nothing may follow the value, but ${this.#here()} does`);
    }
    return this.#fault;
  }

  #value(): boolean {
    this.#skipBlanks();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string() !== undefined;
      default:
        return this.#literal();
    }
  }

  #object(): boolean {
    const keys = new Set<string>();
    if (!this.#enter()) return false;
    this.#skipBlanks();
    if (this.#take('}')) return true;
    do {
      this.#skipBlanks();
      if (!this.#member(keys)) return false;
      this.#skipBlanks();
    } while (this.#take(','));
    return this.#take('}') || this.#fail(`"," or "}" is expected after a field, not ${this.#here()}`);
  }

  #member(keys: Set<string>): boolean {
    const start = this.#at;
    if (this.#text[start] !== '"') return this.#fail(`a key in double quotes is expected, not ${this.#here()}`);
    const key = this.#string();
    if (key === undefined) return false;
    if (keys.has(key)) return this.#fail(`the key ${JSON.stringify(key)} is given twice`, start);
    if (key === '__proto__') return this.#fail('the key "__proto__" cannot be used', start);
    keys.add(key);
    this.#skipBlanks();
    if (!this.#take(':'))
      return this.#fail(`":" is expected after the key ${JSON.stringify(key)}, not ${this.#here()}`);
    return this.#under(key);
  }

  #array(): boolean {
    if (!this.#enter()) return false;
    this.#skipBlanks();
    if (this.#take(']')) return true;
    let index = 0;
    do {
      if (!this.#under(index++)) return false;
      this.#skipBlanks();
    } while (this.#take(','));
    return this.#take(']') || this.#fail(`"," or "]" is expected after an item, not ${this.#here()}`);
  }

  /** Reads the value that stands under a key or index. */
  #under(segment: string | number): boolean {
    this.#path.push(segment);
    const fine = this.#value();
    this.#path.pop();
    return fine;
  }

  /** Steps over the opening bracket. */
  #enter(): boolean {
    if (this.#path.length >= maxJsonDepth) return this.#fail(`values are nested more than ${maxJsonDepth} levels deep`);
    this.#at++;
    return true;
  }

  #string(): string | undefined {
    const start = this.#at++;
    for (;;) {
      this.#skipPlainCharacters();
      if (this.#take('"')) return JSON.parse(this.#text.slice(start, this.#at)) as string;
      if (this.#match(escape) !== undefined) continue;
      if (this.#at >= this.#text.length) this.#fail('this string is not closed', start);
      else if (this.#text[this.#at] === '\\')
        this.#fail('a backslash may stand only before one of "\\/bfnrt, or before u and four hex digits');
      else this.#fail(`a string may not hold the raw control character ${this.#here()}; escape it`);
      return undefined;
    }
  }

  #skipPlainCharacters(): void {
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code < firstPrintable || code === quote || code === backslash) return;
    }
  }

  #literal(): boolean {
    const start = this.#at;
    const digits = this.#match(number);
    const rest = this.#match(word);
    if (digits && rest === undefined) {
      return (
        isCarriedExactly(digits) ||
        this.#fail(`the number ${shorten(digits)} is too large to be kept exactly; give it as a string`, start)
      );
    }
    if (!digits && rest !== undefined && literals.has(rest)) return true;
    this.#at = start;
    return this.#fail(`a value is expected, not ${this.#here()}`);
  }

  #skipBlanks(): void {
    this.#match(blank);
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  /** Steps over what matches here; undefined when that is nothing. */
  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (!found) return undefined;
    this.#at += found.length;
    return found;
  }

  /** What stands at the current position, in words. */
  #here(): string {
    if (this.#at >= this.#text.length) return 'the end of the body';
    word.lastIndex = this.#at;
    return JSON.stringify(
      shorten(word.exec(this.#text)?.[0] ?? String.fromCodePoint(this.#text.codePointAt(this.#at)!)),
    );
  }

  #fail(what: string, at = this.#at): false {
    const before = this.#text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    this.#fault = { what, line, column, field: this.#path.reduce(appendSegment, '') };
    return false;
  }
}

function appendSegment(path: string, segment: string | number): string {
  if (typeof segment === 'number' || !fieldName.test(segment)) return `${path}[${segment}]`;
  return path ? `${path}.${segment}` : segment;
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
