import { checkReached } from '../checks.ts';
import { StorageError } from '../storage.ts';
import type { Entry, HistoryBounds, StorageEvent, Written } from '../storage.ts';
import { entryAfter, eventOf } from '../write.ts';
import type { Write } from '../write.ts';
import type { Database } from './database.ts';
import { encodeRecord } from './history-record.ts';
import { countChanges, putCount } from './key-counts.ts';
import type { NewState, Snapshot } from './snapshot.ts';
import { putState } from './state.ts';
import type { State } from './state.ts';

/** A write or a compaction that waits for a commit. */
export type Request = Write | { readonly type: 'compact'; readonly revision: number };

/** A commit that is worked out but not yet written. */
export interface Commit extends NewState {
  readonly before: State;
  /** The history records of the events. */
  readonly records: readonly Buffer[];
  /** What each request is to be answered once the commit is on disk: a refusal, too, may rest on a write in the same commit. */
  readonly outcomes: readonly (Written | StorageError)[];
}

export interface CommitOptions {
  readonly requests: readonly Request[];
  /** The state that the commit builds on. */
  readonly snapshot: Snapshot;
  readonly bounds: HistoryBounds;
  readonly now: number;
}

/** Checks the requests in order, each against what those before it leave behind, and gives every write its revision. */
export function planCommit(options: CommitOptions): Commit {
  const { requests, snapshot, now } = options;
  const before = snapshot.state;
  const events: StorageEvent[] = [];
  const outcomes: (Written | StorageError)[] = [];
  const changed = new Map<string, Entry | undefined>();
  let { revision, compacted } = before;

  for (const request of requests) {
    try {
      if (request.type === 'compact') {
        checkReached({ revision, compacted }, request.revision);
        compacted = Math.max(compacted, request.revision);
      } else {
        const present = changed.has(request.key) ? changed.get(request.key) : snapshot.get(request.key);
        const event = eventOf(request, present, revision + 1);
        changed.set(event.key, entryAfter(event));
        events.push(event);
        revision = event.revision;
      }
      outcomes.push({ revision });
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      outcomes.push(error);
    }
  }
  const records = events.map((event) => encodeRecord(event, now));
  let { historyBytes } = before;
  for (const record of records) historyBytes += record.length;
  const after = trim({ ...before, revision, compacted, historyBytes }, options);
  return { before, after, events, records, counts: newCounts(events, snapshot), outcomes };
}

function newCounts(events: readonly StorageEvent[], snapshot: Snapshot): Map<string, number> {
  const counts = countChanges(events);
  for (const [directory, change] of counts) counts.set(directory, snapshot.count(directory) + change);
  return counts;
}

/**
 * Forgets what is beyond the bounds. Records go from the oldest on and not too many in one commit, so that none takes long; those of the
 * commit itself stay for the next.
 */
function trim(state: State, options: CommitOptions): State {
  const { snapshot, bounds, now, requests } = options;
  let { trimmed, historyBytes } = state;
  // Refused writes leave the past as it was; only what is forgotten already goes on being freed.
  const isWrite = state.revision !== snapshot.state.revision;
  const compacted = Math.max(state.compacted, state.revision - bounds.count);
  for (let budget = 64 + 4 * requests.length; budget > 0; budget--) {
    if (trimmed >= compacted && !isWrite) break;
    const oldest = snapshot.recordAt(trimmed + 1);
    if (!oldest) break;
    const isBeyond = historyBytes > bounds.bytes || oldest.time < now - bounds.ageMs;
    if (trimmed >= compacted && !isBeyond) break;
    historyBytes -= oldest.bytes;
    trimmed++;
  }
  return { ...state, compacted: Math.max(compacted, trimmed), trimmed, historyBytes };
}

/** Whether the commit has anything to write. */
export function changesAnything({ before, after }: Commit): boolean {
  const { revision, compacted, trimmed } = before;
  return revision !== after.revision || compacted !== after.compacted || trimmed !== after.trimmed;
}

/** Writes the commit as a whole or not at all; resolves once it is on disk. */
export async function writeCommit(database: Database, commit: Commit): Promise<void> {
  const { current, history } = database;
  const { before, after, events, records, counts } = commit;
  // Inside a batch the promise of each write says nothing: that of the batch does.
  const written = database.batch(() => {
    for (const [index, event] of events.entries()) {
      if (event.type === 'deleted') void current.remove(event.key);
      else void current.put(event.key, event.value, event.revision);
      void history.put(event.revision, records[index]!);
    }
    for (let revision = before.trimmed + 1; revision <= after.trimmed; revision++) void history.remove(revision);
    for (const [directory, count] of counts) putCount(database, directory, count);
    putState(database, after);
  });
  try {
    await written;
  } catch (error) {
    throw await reasonOf(error);
  }
}

/** LMDB's bindings reject with an error that promises another, which says what went wrong. */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}
