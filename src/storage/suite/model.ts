import type { HistoryBounds, StorageErrorCode } from '../storage.ts';

export interface ModelEntry {
  readonly key: string;
  readonly value: string;
  readonly revision: number;
}

interface ModelEvent {
  readonly key: string;
  readonly revision: number;
  readonly time: number;
  readonly text: string;
  /** What history has to keep for it, at most. */
  readonly bytes: number;
}

export interface ModelWrite {
  readonly type: 'create' | 'update' | 'delete';
  readonly key: string;
  readonly value: string;
  readonly expected: number;
}

/** A storage in the plainest terms: every state that ever was, and every event. It forgets nothing, but knows what may be forgotten. */
export class StorageModel {
  /** The revision that it begins with: nothing is known of those before. */
  readonly start: number;
  readonly #states: ReadonlyMap<string, ModelEntry>[] = [new Map()];
  readonly #events: ModelEvent[] = [];
  readonly #bounds: HistoryBounds;
  /** Revisions before this one must be refused. */
  #forgotten: number;
  /** Revisions from this one on must be there. */
  #kept: number;

  constructor(bounds: HistoryBounds, start: number) {
    this.#bounds = bounds;
    this.start = this.#forgotten = this.#kept = start;
  }

  get revision(): number {
    return this.start + this.#events.length;
  }

  current(key: string): ModelEntry | undefined {
    return this.#states.at(-1)!.get(key);
  }

  /** The new revision, or why there is none. */
  write(write: ModelWrite, now: number): number | StorageErrorCode {
    const present = this.current(write.key);
    if (write.type === 'create' && present) return 'Exists';
    if (write.type !== 'create' && !present) return 'NotFound';
    if (write.type !== 'create' && present?.revision !== write.expected) return 'Conflict';
    const revision = this.revision + 1;
    const entry = { key: write.key, value: write.value, revision };
    const next = new Map(this.#states.at(-1));
    if (write.type === 'delete') next.delete(write.key);
    else next.set(write.key, entry);
    this.#states.push(next);
    const bytes = 19 + Buffer.byteLength(write.key) + (present?.value.length ?? 0);
    this.#events.push({ key: write.key, revision, time: now, text: eventText(write, entry, present), bytes });
    this.#applyBounds(now);
    return revision;
  }

  compact(revision: number): void {
    this.#forgotten = Math.max(this.#forgotten, revision);
    this.#kept = Math.max(this.#kept, revision);
  }

  /** Whether the state at a revision must be known, must be refused, or may be either. */
  knows(revision: number): 'yes' | 'no' | 'maybe' {
    if (revision >= this.#kept) return 'yes';
    return revision < this.#forgotten ? 'no' : 'maybe';
  }

  get(key: string, revision: number): ModelEntry | undefined {
    return this.#states[revision - this.start]!.get(key);
  }

  list(prefix: string, revision: number, after?: string): ModelEntry[] {
    const entries = [...this.#states[revision - this.start]!.values()].filter(({ key }) => key.startsWith(prefix));
    entries.sort((a, b) => byteOrder(a.key, b.key));
    return after === undefined ? entries : entries.filter(({ key }) => byteOrder(key, after) > 0);
  }

  events(prefix: string, after: number): string[] {
    const heard = this.#events.filter(({ key, revision }) => key.startsWith(prefix) && revision > after);
    return heard.map(({ text }) => text);
  }

  #applyBounds(now: number): void {
    const { count, bytes, ageMs } = this.#bounds;
    this.#forgotten = Math.max(this.#forgotten, this.revision - count);
    const held = (): number => this.#events.slice(this.#kept - this.start).reduce((sum, event) => sum + event.bytes, 0);
    const isBeyond = (): boolean =>
      this.revision - this.#kept > count || held() > bytes || this.#events[this.#kept - this.start]!.time < now - ageMs;
    while (this.#kept < this.revision && isBeyond()) this.#kept++;
  }
}

function byteOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function entryText({ key, value, revision }: ModelEntry): string {
  return `${key}=${value}@${revision}`;
}

function eventText(write: ModelWrite, entry: ModelEntry, present: ModelEntry | undefined): string {
  if (write.type === 'create') return `created ${entryText(entry)}`;
  if (write.type === 'update') return `updated ${entryText(entry)} was ${entryText(present!)}`;
  return `deleted ${entry.key}@${entry.revision} was ${entryText(present!)}`;
}
