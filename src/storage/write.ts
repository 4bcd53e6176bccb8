import { conflict, exists, notFound } from './errors.ts';
import type { Entry, StorageEvent } from './storage.ts';

/** A change that is asked for. */
export type Write =
  | { readonly type: 'create'; readonly key: string; readonly value: Buffer }
  | { readonly type: 'update'; readonly key: string; readonly value: Buffer; readonly expected: number }
  | { readonly type: 'delete'; readonly key: string; readonly expected: number };

/** What the write does to a key that holds `present`, as the event of `revision`; throws when it may not be done. */
export function eventOf(write: Write, present: Entry | undefined, revision: number): StorageEvent {
  const { key } = write;
  if (write.type === 'create') {
    if (present) throw exists(key);
    return { type: 'created', key, revision, value: write.value };
  }
  if (!present) throw notFound(key);
  if (present.revision !== write.expected) throw conflict(key, write.expected, present.revision);
  if (write.type === 'update') return { type: 'updated', key, revision, value: write.value, previous: present };
  return { type: 'deleted', key, revision, previous: present };
}

/** What stands under the event's key once it has happened. */
export function entryAfter(event: StorageEvent): Entry | undefined {
  return event.type === 'deleted' ? undefined : { key: event.key, value: event.value, revision: event.revision };
}

/** The same bytes as a `Buffer`, not a copy. */
export function asBuffer(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
