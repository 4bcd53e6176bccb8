// Begins like a word or a path, so that no parser takes it for a number, a date or punctuation.
const plainText = /^[A-Za-z_/][-\w./:@+=, ()]*$/;
const notPlain = /: |:$| $|^(?:y|n|yes|no|on|off|true|false|null)$/i;
// What YAML does not let stand raw in a text, and what would be lost at the edges of lines.
const notInBlock = /[^\n\t\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]|^[ \t\n]|\n[ \t]+(?:\n|$)|\n\t/;
const notInQuotes = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
/** Longer keys must be marked as keys. */
const longestPlainKey = 1000;

/** Writes values of JSON's types as block YAML. Hand-made because the parser's own writer takes half a second for a list of a thousand pods. */
export class YamlWriter {
  readonly #parts: string[] = [];

  write(value: unknown): string {
    if (isCollection(value)) this.#collection(value, '', '');
    else this.#scalar(value, '');
    return this.#parts.join('');
  }

  /** `first` stands before the first line, `indent` before the others: they differ where a line has been begun already. */
  #collection(value: Collection, indent: string, first: string): void {
    if (isList(value)) this.#sequence(value, indent, first);
    else this.#mapping(value, indent, first);
  }

  #sequence(items: readonly unknown[], indent: string, first: string): void {
    let start = first;
    const deeper = `${indent}  `;
    for (const item of items) {
      this.#parts.push(start, '- ');
      if (isCollection(item)) this.#collection(item, deeper, '');
      else this.#scalar(item, deeper);
      start = indent;
    }
  }

  #mapping(object: Record<string, unknown>, indent: string, first: string): void {
    let start = first;
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined) continue;
      const name = quoteUnlessPlain(key);
      this.#parts.push(start, name.length > longestPlainKey ? `? ${name}\n${indent}:` : `${name}:`);
      this.#member(value, indent);
      start = indent;
    }
  }

  #member(value: unknown, indent: string): void {
    const deeper = Array.isArray(value) ? indent : `${indent}  `;
    this.#parts.push(isCollection(value) ? '\n' : ' ');
    if (isCollection(value)) this.#collection(value, deeper, deeper);
    else this.#scalar(value, deeper);
  }

  #scalar(value: unknown, indent: string): void {
    this.#parts.push(typeof value === 'string' ? this.#text(value, indent) : formatScalar(value), '\n');
  }

  #text(text: string, indent: string): string {
    if (!text.includes('\n') || indent === '' || notInBlock.test(text)) return quoteUnlessPlain(text);
    const chomping = !text.endsWith('\n') ? '-' : text.endsWith('\n\n') ? '+' : '';
    const lines = (chomping === '-' ? text : text.slice(0, -1)).split('\n');
    return `|${chomping}${lines.map((line) => (line === '' ? '\n' : `\n${indent}${line}`)).join('')}`;
  }
}

type Collection = readonly unknown[] | Record<string, unknown>;

function isList(value: Collection): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Whether a value takes lines of its own; empty lists and objects do not. */
function isCollection(value: unknown): value is Collection {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? value.length > 0 : Object.values(value).some((member) => member !== undefined);
}

function formatScalar(value: unknown): string {
  if (Array.isArray(value)) return '[]';
  if (typeof value === 'object' && value !== null) return '{}';
  return JSON.stringify(value) ?? 'null';
}

function quoteUnlessPlain(text: string): string {
  if (plainText.test(text) && !notPlain.test(text)) return text;
  return JSON.stringify(text).replace(
    notInQuotes,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
