import type { Entry, StorageEvent } from '../storage.ts';
import type { KeyValue, WatchEvent } from './etcd-responses.ts';
import type { KeySpace } from './key-space.ts';

/** What stood under a key before is no longer known, because etcd was told to forget it meanwhile. */
export class PreviousForgotten extends Error {
  override readonly name = 'PreviousForgotten';
}

/** The events that are about keys of this storage; throws `PreviousForgotten`. */
export function eventsIn(keys: KeySpace, events: readonly WatchEvent[]): StorageEvent[] {
  const own: StorageEvent[] = [];
  for (const event of events) {
    const key = keys.fromEtcd(event.keyValue.key);
    if (key !== undefined) own.push(eventOf(key, event));
  }
  return own;
}

export function entryOf(key: string, { value, modRevision }: KeyValue): Entry {
  return { key, value, revision: modRevision };
}

function eventOf(key: string, { deleted, keyValue, previous }: WatchEvent): StorageEvent {
  const { value, modRevision: revision, createRevision } = keyValue;
  if (!deleted && createRevision === revision) return { type: 'created', key, revision, value };
  if (!previous) throw new PreviousForgotten(`what stood under ${key} before revision ${revision} is forgotten`);
  const before = entryOf(key, previous);
  return deleted
    ? { type: 'deleted', key, revision, previous: before }
    : { type: 'updated', key, revision, value, previous: before };
}
