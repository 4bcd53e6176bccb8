import { randomInt } from 'node:crypto';
import type { Storage } from '../../storage/storage.ts';
import { isStorageError } from '../storage-errors.ts';
import type { ValueRange } from './value-range.ts';

/** Random picks before free values are looked for one by one. */
const picks = 16;

export type Claim = 'claimed' | 'taken' | 'outside';

/**
 * Gives values of a range out, each to one holder at a time. Each claim is a key of its own in storage, created only if it is not there: so two
 * requests, or two servers, never get the same value, and a restart forgets nothing.
 */
export class Allocator {
  readonly range: ValueRange;
  readonly #storage: Storage;
  readonly #prefix: string;

  constructor(storage: Storage, name: string, range: ValueRange) {
    this.#storage = storage;
    this.#prefix = `/ranges/${name}/`;
    this.range = range;
  }

  /** Claims this very value for a holder. */
  async claim(value: string, holder: string): Promise<Claim> {
    if (!this.range.includes(value)) return 'outside';
    return (await this.#take(value, holder)) ? 'claimed' : 'taken';
  }

  /** Claims any free value; nothing when all are taken. */
  async claimAny(holder: string): Promise<string | undefined> {
    for (let pick = 0; pick < picks; pick++) {
      const value = this.range.at(randomInt(this.range.size));
      if (await this.#take(value, holder)) return value;
    }
    const taken = new Set((await this.claims()).map((claim) => claim.value));
    for (let position = 0; position < this.range.size; position++) {
      const value = this.range.at(position);
      if (!taken.has(value) && (await this.#take(value, holder))) return value;
    }
    return undefined;
  }

  /** Makes a value free again, if this holder has it. */
  async release(value: string, holder: string): Promise<void> {
    const entry = await this.#storage.get(this.#prefix + value);
    if (!entry || entry.value.toString('utf8') !== holder) return;
    try {
      await this.#storage.delete(entry.key, entry.revision);
    } catch (error) {
      // Gone or claimed anew in the meantime: then it is not this holder's any more.
      if (!isStorageError(error, 'NotFound') && !isStorageError(error, 'Conflict')) throw error;
    }
  }

  async claims(): Promise<{ readonly value: string; readonly holder: string }[]> {
    const { entries } = await this.#storage.list(this.#prefix);
    return entries.map(({ key, value }) => ({ value: key.slice(this.#prefix.length), holder: value.toString('utf8') }));
  }

  async #take(value: string, holder: string): Promise<boolean> {
    try {
      await this.#storage.create(this.#prefix + value, Buffer.from(holder));
      return true;
    } catch (error) {
      if (isStorageError(error, 'Exists')) return false;
      throw error;
    }
  }
}
