import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { Storage, StorageEvent, StorageWatch } from '../storage/storage.ts';
import { collectionPrefix } from './address.ts';
import { isStorageError } from './storage-errors.ts';

export interface ExpiryParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Due {
  readonly at: number;
  readonly revision: number;
}

/** How long to wait before following again when storage ended the watch, and before removing again what it would not remove. */
const retryMs = 5_000;

/** Removes objects of a kind when their lifetime is over. It counts from the last change, so the order of changes is the order of ends, unless the clock is set. */
export class Expiry {
  readonly #kind: Kind;
  readonly #lifetimeMs: number;
  readonly #parts: ExpiryParts;
  /** By key, the next to go first. */
  readonly #due = new Map<string, Due>();
  /** The next removal. Stays when it is under way, which ends in the next one. */
  #timer: Timer | undefined;
  /** Set when it is to be followed anew. */
  #restarting: Timer | undefined;
  #watch: StorageWatch | undefined;
  #closed = false;

  private constructor(kind: Kind, parts: ExpiryParts) {
    this.#kind = kind;
    this.#lifetimeMs = (kind.lifetimeSeconds ?? 0) * 1000;
    this.#parts = parts;
  }

  /** Follows a kind that has a lifetime. Resolves when all that is there now is known. */
  static async open(kind: Kind, parts: ExpiryParts): Promise<Expiry> {
    const expiry = new Expiry(kind, parts);
    await expiry.#follow();
    return expiry;
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#restarting?.cancel();
    this.#watch?.close();
  }

  async #follow(): Promise<void> {
    const { storage } = this.#parts;
    const prefix = collectionPrefix(this.#kind);
    const { entries, revision } = await storage.list(prefix);
    this.#due.clear();
    for (const entry of entries) this.#note(entry.key, entry);
    this.#sort();
    this.#watch = await storage.watch(prefix, revision, {
      onEvents: (events) => this.#apply(events),
      onEnd: () => this.#restart(),
    });
    if (this.#closed) this.#watch.close();
    this.#arm();
  }

  #restart(): void {
    if (this.#closed) return;
    this.#restarting = this.#parts.clock.after(retryMs, () => {
      this.#follow().catch((error: unknown) => {
        this.#parts.logger.warn('objects with a lifetime are not followed', { kind: this.#kind.kind, error });
        this.#restart();
      });
    });
  }

  #apply(events: readonly StorageEvent[]): void {
    for (const event of events) {
      if (event.type === 'deleted') this.#due.delete(event.key);
      else this.#note(event.key, event);
    }
    if (!this.#timer) this.#arm();
  }

  #note(key: string, { value, revision }: { value: Buffer; revision: number }): void {
    const { deletionTimestamp } = (JSON.parse(value.toString('utf8')) as ApiObject).metadata;
    this.#due.delete(key);
    if (deletionTimestamp) this.#due.set(key, { at: Date.parse(deletionTimestamp), revision });
  }

  /** Puts what ends first in front. Nothing is to live longer than its lifetime from now, even if the clock was ahead when it was written. */
  #sort(): void {
    const latest = this.#parts.clock.now() + this.#lifetimeMs;
    const all = [...this.#due].map(([key, { at, revision }]) => ({ key, revision, at: Math.min(at, latest) }));
    this.#due.clear();
    for (const { key, ...due } of all.sort((a, b) => a.at - b.at)) this.#due.set(key, due);
  }

  #arm(atLeastMs = 0): void {
    const { clock, logger } = this.#parts;
    const [oldest] = this.#due.values();
    if (oldest && oldest.at > clock.now() + this.#lifetimeMs) this.#sort();
    const [first] = this.#due.values();
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#closed || !first) return;
    this.#timer = clock.after(Math.max(atLeastMs, first.at - clock.now()), () => {
      this.#removeDue().then(
        () => this.#arm(),
        (error: unknown) => {
          if (this.#closed) return;
          logger.warn('an expired object was not removed', { kind: this.#kind.kind, error });
          this.#arm(retryMs);
        },
      );
    });
  }

  async #removeDue(): Promise<void> {
    const now = this.#parts.clock.now();
    for (const [key, due] of this.#due) {
      if (this.#closed || due.at > now) return;
      await this.#remove(key, due.revision);
      // It may have been made anew, or changed, meanwhile.
      if (this.#due.get(key) === due) this.#due.delete(key);
    }
  }

  async #remove(key: string, revision: number): Promise<void> {
    try {
      await this.#parts.storage.delete(key, revision);
    } catch (error) {
      // Changed, so it lives on; or gone already.
      if (!isStorageError(error, 'Conflict') && !isStorageError(error, 'NotFound')) throw error;
    }
  }
}
