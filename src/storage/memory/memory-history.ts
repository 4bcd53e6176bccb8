import type { HistoryBounds, StorageEvent } from '../storage.ts';

interface HistoryRecord {
  readonly event: StorageEvent;
  readonly time: number;
  readonly bytes: number;
}

/** Recent events, the oldest first. Revisions have no gaps, so an event's place follows from its revision. */
export class MemoryHistory {
  readonly #bounds: HistoryBounds;
  #records: HistoryRecord[];
  /** Records before this index are forgotten; they are cut off once they are half of all, so that each costs O(1). */
  #head = 0;
  #bytes = 0;
  #compacted: number;

  constructor(bounds: HistoryBounds, compacted = 0, records: HistoryRecord[] = []) {
    this.#bounds = bounds;
    this.#compacted = compacted;
    this.#records = records;
    for (const record of records) this.#bytes += record.bytes;
  }

  /** The newest revision whose event is forgotten. */
  get compacted(): number {
    return this.#compacted;
  }

  fork(): MemoryHistory {
    return new MemoryHistory(this.#bounds, this.#compacted, this.#records.slice(this.#head));
  }

  append(event: StorageEvent, time: number): void {
    // Values that are still current are not history's; the value that the event put out of date is.
    const bytes = event.key.length + (event.type === 'created' ? 0 : event.previous.value.length);
    this.#records.push({ event, time, bytes });
    this.#bytes += bytes;
    while (this.#isBeyondBounds(time)) this.#forgetOldest();
  }

  /** Forgets the events up to `revision`. */
  compact(revision: number): void {
    while (this.#compacted < revision && this.#head < this.#records.length) this.#forgetOldest();
  }

  /** The events with a revision greater than `revision`, which is not below `compacted`. */
  *since(revision: number): Iterable<StorageEvent> {
    const start = this.#head + revision - this.#compacted;
    for (let index = start; index < this.#records.length; index++) yield this.#records[index]!.event;
  }

  #isBeyondBounds(now: number): boolean {
    const oldest = this.#records[this.#head];
    if (!oldest) return false;
    const { count, bytes, ageMs } = this.#bounds;
    return this.#records.length - this.#head > count || this.#bytes > bytes || oldest.time < now - ageMs;
  }

  #forgetOldest(): void {
    this.#bytes -= this.#records[this.#head]!.bytes;
    this.#compacted++;
    this.#head++;
    if (this.#head * 2 <= this.#records.length) return;
    this.#records = this.#records.slice(this.#head);
    this.#head = 0;
  }
}
