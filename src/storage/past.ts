import { compareKeys } from './keys.ts';
import type { Entry, Listing } from './storage.ts';

/** What an old revision needs to know of one change since. */
export interface PastChange {
  readonly key: string;
  readonly previous?: Entry;
  readonly deleted: boolean;
}

/** How one key differs between an old revision and now. */
export interface Difference {
  readonly key: string;
  /** The entry at the old revision. */
  readonly old?: Entry;
  /** Whether there is an entry now. */
  readonly isThere: boolean;
}

/** Sums up the changes since a revision, given in order: the first says what was there then, the last whether anything is now. */
export function differences(changes: Iterable<PastChange>): Map<string, Difference> {
  const byKey = new Map<string, Difference>();
  for (const { key, previous, deleted } of changes) {
    const first = byKey.get(key);
    byKey.set(key, { key, old: first ? first.old : previous, isThere: !deleted });
  }
  return byKey;
}

/** The present behind the asked-for start: its entries in order, and how many of them follow behind a key. */
export interface Present {
  entries(): Iterable<Entry>;
  countBehind(key: string): number;
}

export interface PastListOptions {
  readonly present: Present;
  readonly differences: ReadonlyMap<string, Difference>;
  readonly limit?: number;
  readonly after?: string;
  /** How many entries there were behind `after`, where that is known; they are counted when it is not. */
  readonly total?: number;
}

/** Lists an old revision: the present with the differences taken back, without walking past the limit. */
export function listPast(options: PastListOptions): Omit<Listing, 'revision'> {
  const { present, limit = Infinity, after, total } = options;
  const changed = [...options.differences.values()].filter(({ key }) => after === undefined || isBehind(key, after));
  const olds = changed.flatMap(({ old }) => old ?? []);
  olds.sort((a, b) => compareKeys(a.key, b.key));
  const entries: Entry[] = [];
  for (const entry of merged(present.entries(), olds, options.differences)) {
    entries.push(entry);
    if (entries.length >= limit) break;
  }
  const last = entries.at(-1);
  if (!last || entries.length < limit) return { entries, remaining: 0 };
  if (total !== undefined) return { entries, remaining: total - entries.length };
  const oldBehind = olds.filter(({ key }) => isBehind(key, last.key)).length;
  const changedBehind = changed.filter(({ key, isThere }) => isThere && isBehind(key, last.key)).length;
  return { entries, remaining: present.countBehind(last.key) - changedBehind + oldBehind };
}

function isBehind(key: string, other: string): boolean {
  return compareKeys(key, other) > 0;
}

function* merged(
  present: Iterable<Entry>,
  olds: readonly Entry[],
  changed: ReadonlyMap<string, Difference>,
): Iterable<Entry> {
  let next = 0;
  for (const entry of present) {
    for (let old = olds[next]; old && isBehind(entry.key, old.key); old = olds[next]) {
      yield old;
      next++;
    }
    if (!changed.has(entry.key)) yield entry;
  }
  yield* olds.slice(next);
}
