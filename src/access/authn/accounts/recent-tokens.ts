import { createHash } from 'node:crypto';

const most = 4096;

/** What is known of tokens that were used of late, by their digests: the tokens themselves are not kept. */
export class RecentTokens<V> {
  /** The one used longest ago stands first. */
  readonly #values = new Map<string, V>();

  get(token: string): V | undefined {
    const key = digest(token);
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(token: string, value: V): void {
    this.#values.set(digest(token), value);
    if (this.#values.size <= most) return;
    const [oldest] = this.#values.keys();
    this.#values.delete(oldest!);
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
