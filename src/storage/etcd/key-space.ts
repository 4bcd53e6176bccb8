import type { KeyRange } from './etcd-requests.ts';
import { everyKey } from './etcd-requests.ts';

export interface KeySpaceOptions {
  /** What every key of this storage begins with. */
  readonly own: string;
  /** What stands in its place in etcd. */
  readonly inEtcd: string;
}

/** Where the keys of a storage are among all keys of an etcd. Keys that do not begin as they should have no place there. */
export class KeySpace {
  readonly #own: string;
  readonly #inEtcd: Buffer;

  constructor({ own, inEtcd }: KeySpaceOptions = { own: '', inEtcd: '' }) {
    this.#own = own;
    this.#inEtcd = Buffer.from(inEtcd);
  }

  /** The key as etcd knows it; throws a `RangeError` for one that has no place. */
  toEtcd(key: string): Buffer {
    if (!key.startsWith(this.#own)) throw new RangeError(`the key ${key} does not begin with ${this.#own}`);
    return Buffer.concat([this.#inEtcd, Buffer.from(key.slice(this.#own.length))]);
  }

  /** The key as this storage knows it; undefined for one that is somebody else's. */
  fromEtcd(key: Buffer): string | undefined {
    const { length } = this.#inEtcd;
    if (key.length < length || key.compare(this.#inEtcd, 0, length, 0, length) !== 0) return undefined;
    return this.#own + key.toString('utf8', length);
  }

  /** The keys under a prefix that stand behind `after`; undefined when there can be none. */
  under(prefix: string, after?: string): KeyRange | undefined {
    const whole = this.#under(prefix);
    if (!whole || after === undefined || after < this.#own) return whole;
    // The key right behind another one is that one with a zero.
    const behind = after.startsWith(this.#own) ? Buffer.concat([this.toEtcd(after), Buffer.from([0])]) : undefined;
    if (!behind) return undefined;
    const start = Buffer.compare(behind, whole.start) > 0 ? behind : whole.start;
    const isEndless = whole.end === everyKey.end;
    return isEndless || Buffer.compare(start, whole.end!) < 0 ? { start, end: whole.end } : undefined;
  }

  #under(prefix: string): KeyRange | undefined {
    const isWider = this.#own.startsWith(prefix);
    if (!isWider && !prefix.startsWith(this.#own)) return undefined;
    const start = isWider ? this.#inEtcd : this.toEtcd(prefix);
    return start.length === 0 ? everyKey : { start, end: behindAllUnder(start) };
  }
}

/** The first key that no longer begins with the prefix: no byte of UTF-8 is the highest one. */
function behindAllUnder(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  end[end.length - 1]!++;
  return end;
}
