import { emptyRevision } from './empty-revision.ts';
import type { HistoryBounds, StorageEvent } from '../storage.ts';

interface HistoryRecord {
  readonly event: StorageEvent;
  readonly time: number;
  readonly bytes: number;
}

/**
 * The events that were followed, the oldest first, so that watches from a recent revision need not ask etcd. Revisions have gaps: other
 * users of the same etcd take some.
 */
export class FollowedHistory {
  readonly #bounds: HistoryBounds;
  #records: HistoryRecord[] = [];
  /** Records before this index are forgotten; they are cut off once they are half of all, so that each costs O(1). */
  #head = 0;
  #bytes = 0;
  #floor: number;
  #floorTime: number;
  #forgotten = 0;

  /** Begins behind the revision `floor`. */
  constructor(bounds: HistoryBounds, floor: number, now: number) {
    this.#bounds = bounds;
    this.#floor = floor;
    this.#floorTime = now;
  }

  /** Every event after this revision is here; of those before, etcd may know. */
  get floor(): number {
    return this.#floor;
  }

  /** What is before this revision is beyond the bounds, whether etcd still knows of it or not. */
  get forgotten(): number {
    return this.#forgotten;
  }

  append(events: readonly StorageEvent[], revision: number, now: number): void {
    for (const event of events) this.#push(event, now);
    this.trim(revision, now);
  }

  /** Takes the events after `floor` and up to the floor that was. */
  prepend(events: readonly StorageEvent[], floor: number, now: number): void {
    const later = this.#records.slice(this.#head);
    [this.#records, this.#head, this.#bytes] = [[], 0, 0];
    for (const event of events) this.#push(event, now);
    for (const record of later) this.#bytes += record.bytes;
    this.#records = [...this.#records, ...later];
    this.#floor = floor;
  }

  /** Forgets what is beyond the bounds when `revision` is the newest. */
  trim(revision: number, now: number): void {
    if (this.#floorTime < now - this.#bounds.ageMs) this.compact(this.#floor);
    this.compact(revision - this.#bounds.count);
    for (let oldest = this.#oldest; oldest && this.#isBeyondBounds(oldest, now); oldest = this.#oldest) {
      this.compact(oldest.event.revision);
    }
  }

  /** Forgets the events up to `revision`. */
  compact(revision: number): void {
    if (revision <= Math.max(this.#forgotten, emptyRevision)) return;
    this.#forgotten = revision;
    for (let oldest = this.#oldest; oldest && oldest.event.revision <= revision; oldest = this.#oldest) {
      this.#bytes -= oldest.bytes;
      this.#floorTime = oldest.time;
      this.#head++;
    }
    this.#floor = Math.max(this.#floor, revision);
    if (this.#head * 2 <= this.#records.length) return;
    this.#records = this.#records.slice(this.#head);
    this.#head = 0;
  }

  /** The events with a revision greater than `revision`, which is not below the floor. */
  since(revision: number): StorageEvent[] {
    let [low, high] = [this.#head, this.#records.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#records[middle]!.event.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#records.slice(low).map(({ event }) => event);
  }

  get #oldest(): HistoryRecord | undefined {
    return this.#records[this.#head];
  }

  #push(event: StorageEvent, time: number): void {
    const bytes = event.key.length + (event.type === 'created' ? 0 : event.previous.value.length);
    this.#records.push({ event, time, bytes });
    this.#bytes += bytes;
  }

  #isBeyondBounds({ time }: HistoryRecord, now: number): boolean {
    return this.#bytes > this.#bounds.bytes || time < now - this.#bounds.ageMs;
  }
}
