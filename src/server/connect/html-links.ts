import { Transform, type TransformCallback } from 'node:stream';
import { linkAttributes, readStartTag } from './html-attributes.ts';

/** What is kept of a tag or comment whose end has not come yet. Beyond it the tag goes out as it is. */
const longestTag = 64 * 1024;

/** What ends a stretch that is no markup. */
interface RawEnd {
  readonly pattern: RegExp;
  readonly length: number;
}

const commentEnd = rawEnd('-->');

/** Elements whose content is no markup. */
const rawEnds: ReadonlyMap<string, RawEnd> = new Map(
  ['script', 'style', 'textarea', 'title', 'xmp', 'noembed'].map((name) => [name, rawEnd(`</${name}`)]),
);

function rawEnd(text: string): RawEnd {
  return { pattern: new RegExp(text, 'i'), length: text.length };
}

/**
 * Passes HTML on and changes the links in it, nothing else. Works on bytes as they come: markup is ASCII in every encoding that matters, and the text between
 * is not looked at.
 */
export class HtmlLinks extends Transform {
  readonly #rewrite: (link: string) => string;
  #rest = '';
  /** What the markup begins again with, inside a comment or the content of a script. */
  #until: RawEnd | undefined;

  constructor(rewrite: (link: string) => string) {
    super();
    this.#rewrite = rewrite;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.#rest += chunk.toString('latin1');
    callback(null, Buffer.from(this.#advance(), 'latin1'));
  }

  override _flush(callback: TransformCallback): void {
    callback(null, Buffer.from(this.#rest, 'latin1'));
  }

  /** Everything that can go out; what may be the beginning of something is kept. */
  #advance(): string {
    let out = '';
    for (;;) {
      const step = this.#until === undefined ? this.#markup() : this.#skip(this.#until);
      out += step;
      if (step === '') return out;
    }
  }

  #skip({ pattern, length }: RawEnd): string {
    const at = this.#rest.search(pattern);
    if (at < 0) return this.#take(Math.max(0, this.#rest.length - length + 1));
    this.#until = undefined;
    return this.#take(at) || this.#markup();
  }

  #markup(): string {
    const text = this.#rest;
    const at = text.indexOf('<');
    if (at !== 0) return this.#take(at < 0 ? text.length : at);
    if (text.startsWith('<!--')) {
      this.#until = commentEnd;
      return this.#take(4);
    }
    // An end tag or declaration has no links; neither has a sign that begins nothing.
    if (/^<[^a-z]/i.test(text) && !'<!--'.startsWith(text)) return this.#take(1);
    const tag = readStartTag(text, 0);
    // All that was kept, not its first sign alone: the next one would be read to the same end again.
    if (!tag) return text.length > longestTag ? this.#take(longestTag) : '';
    this.#until = rawEnds.get(tag.name);
    return this.#rewritten(tag, this.#take(tag.end));
  }

  #rewritten({ name, values }: NonNullable<ReturnType<typeof readStartTag>>, text: string): string {
    const names = Object.hasOwn(linkAttributes, name) ? linkAttributes[name]! : [];
    let out = '';
    let copied = 0;
    for (const { start, end } of values.filter((value) => names.includes(value.name))) {
      out += text.slice(copied, start) + this.#rewriteValue(text.slice(start, end));
      copied = end;
    }
    return out + text.slice(copied);
  }

  /** The value goes on as it was written; only what is put before it has to be made fit for HTML. */
  #rewriteValue(value: string): string {
    const link = value.trim();
    const rewritten = this.#rewrite(link);
    if (rewritten === link) return value;
    const kept = commonEnd(link, rewritten);
    return escaped(rewritten.slice(0, rewritten.length - kept)) + link.slice(link.length - kept);
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return taken;
  }
}

function commonEnd(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.at(-1 - length) === other.at(-1 - length)) length++;
  return length;
}

/** Unquoted values end at blanks, too. */
function escaped(text: string): string {
  return text.replace(/[&<>"'\s]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
