/**
 * Whether a text is a regular expression of POSIX's extended kind, read as the reference's language reads it: no look-arounds, no lazy
 * repetition, no classes such as \d. Ingress controllers get these patterns, so what is stored must be one everywhere.
 */
export function isPathPattern(text: string): boolean {
  return new PatternReader(text).read();
}

const classNames = new Set(
  'alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit'.split(' '),
);
const largestRepeat = 1000;
const largestCodePoint = 0x10ffff;
const escapeShape =
  /^(?:x\{([0-9A-Fa-f]{1,8})\}|x([0-9A-Fa-f]{2})|(0[0-7]{0,2}|[1-7][0-7]{1,2})|[afnrtv_]|[^\w\u0080-\u{10ffff}])/u;
const controlCodes: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

class PatternReader {
  readonly #characters: readonly string[];
  #at = 0;
  #open = 0;
  /** Whether something stands before that can be repeated. */
  #repeatable = false;

  constructor(text: string) {
    this.#characters = Array.from(text);
  }

  read(): boolean {
    while (this.#at < this.#characters.length) {
      if (!this.#step(this.#characters[this.#at++]!)) return false;
    }
    return this.#open === 0;
  }

  #step(character: string): boolean {
    switch (character) {
      case '(':
        this.#open++;
        this.#repeatable = false;
        return true;
      case ')':
        this.#repeatable = true;
        return --this.#open >= 0;
      case '|':
        this.#repeatable = false;
        return true;
      case '*':
      case '+':
      case '?':
        return this.#repeatable;
      case '{':
        return this.#bounds();
      case '[':
        this.#repeatable = true;
        return this.#set();
      case '\\':
        this.#repeatable = true;
        return this.#escape() !== undefined;
      default:
        this.#repeatable = true;
        return true;
    }
  }

  /** `{2}`, `{2,}` or `{2,5}`; any other brace is an ordinary character. */
  #bounds(): boolean {
    const match = /^(\d+)(?:(,)(\d*))?\}/.exec(this.#characters.slice(this.#at, this.#at + 24).join(''));
    if (!match) return (this.#repeatable = true);
    this.#at += match[0].length;
    const least = Number(match[1]);
    const most = match[3] ? Number(match[3]) : least;
    return this.#repeatable && least <= most && most <= largestRepeat;
  }

  #set(): boolean {
    if (this.#peek() === '^') this.#at++;
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      // A dash that makes no range stands first or last.
      if (!first && this.#peek() === '-' && this.#peek(1) !== ']') return false;
      if (this.#peek() === '[' && this.#peek(1) === ':') {
        if (!this.#namedClass()) return false;
        continue;
      }
      const low = this.#setMember();
      if (low === undefined) return false;
      if (this.#peek() !== '-' || this.#peek(1) === ']') continue;
      this.#at++;
      const high = this.#setMember();
      if (high === undefined || high < low) return false;
    }
    this.#at++;
    return true;
  }

  #namedClass(): boolean {
    const rest = this.#characters.slice(this.#at, this.#at + 16).join('');
    const match = /^\[:\^?([a-z]+):\]/.exec(rest);
    if (!match || !classNames.has(match[1]!)) return false;
    this.#at += match[0].length;
    return true;
  }

  /** The code point of one member of a set; nothing when the set does not go on. */
  #setMember(): number | undefined {
    const character = this.#characters[this.#at++];
    return character === '\\' ? this.#escape() : character?.codePointAt(0);
  }

  /** The code point behind a backslash: of punctuation, of a control character's letter, or of a number. */
  #escape(): number | undefined {
    const match = escapeShape.exec(this.#characters.slice(this.#at, this.#at + 12).join(''));
    if (!match) return undefined;
    const [text, braced, hex, octal] = match;
    this.#at += Array.from(text).length;
    if (octal) return Number.parseInt(octal, 8);
    const code = Number.parseInt(braced ?? hex ?? '', 16);
    if (Number.isNaN(code)) return controlCodes[text] ?? text.codePointAt(0);
    return code <= largestCodePoint ? code : undefined;
  }

  #peek(ahead = 0): string | undefined {
    return this.#characters[this.#at + ahead];
  }
}
