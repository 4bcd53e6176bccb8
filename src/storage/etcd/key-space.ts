import type { KeyRange } from './etcd-requests.ts';
import { everyKey } from './etcd-requests.ts';

/** Where the keys of a storage are among all keys of an etcd: behind a prefix that may be empty. */
export class KeySpace {
  readonly #prefix: Buffer;

  constructor(prefix = '') {
    this.#prefix = Buffer.from(prefix);
  }

  toEtcd(key: string): Buffer {
    return Buffer.concat([this.#prefix, Buffer.from(key)]);
  }

  /** The key as this storage knows it; undefined for one that is somebody else's. */
  fromEtcd(key: Buffer): string | undefined {
    const { length } = this.#prefix;
    if (key.length < length || key.compare(this.#prefix, 0, length, 0, length) !== 0) return undefined;
    return key.toString('utf8', length);
  }

  /** The keys under a prefix that stand behind `after`; undefined when there can be none. */
  under(prefix: string, after?: string): KeyRange | undefined {
    const first = this.toEtcd(prefix);
    const end = first.length === 0 ? everyKey.end! : behindAllUnder(first);
    // The key right behind another one is that one with a zero; there is no shorter key than such a zero alone.
    const behind = Buffer.concat([after === undefined ? first : this.toEtcd(after), Buffer.from([0])]);
    const start = first.length > 0 && (after === undefined || Buffer.compare(behind, first) < 0) ? first : behind;
    return end === everyKey.end || Buffer.compare(start, end) < 0 ? { start, end } : undefined;
  }
}

/** The first key that no longer begins with the prefix: no byte of UTF-8 is the highest one. */
function behindAllUnder(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  end[end.length - 1]!++;
  return end;
}
