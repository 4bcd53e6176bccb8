import assert from 'node:assert/strict';
import { StorageError } from '../storage.ts';
import type { Entry, Listing, Storage, StorageErrorCode, StorageEvent, WatchListener } from '../storage.ts';

export function bytes(text: string): Buffer {
  return Buffer.from(text);
}

/** Asserts that the call fails with a `StorageError` of that code. */
export async function failsWith(code: StorageErrorCode, call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof StorageError, String(error));
    assert.equal(error.code, code);
    assert.notEqual(error.message, '');
    return true;
  });
}

/** An entry as `key=value@revision`: short to write down and to compare. */
export function entryText(entry: Entry | undefined): string | undefined {
  return entry && `${entry.key}=${entry.value.toString()}@${entry.revision}`;
}

export function keysOf(listing: Listing): string[] {
  return listing.entries.map(({ key }) => key);
}

export function entryTexts(listing: Listing): (string | undefined)[] {
  return listing.entries.map(entryText);
}

/** An event as `created key=value@revision`, followed by ` was …` where something stood there before. */
export function eventText(event: StorageEvent): string {
  const now = event.type === 'deleted' ? `${event.key}@${event.revision}` : entryText(event);
  const before = event.type === 'created' ? '' : ` was ${entryText(event.previous)}`;
  return `${event.type} ${now}${before}`;
}

/** A listener that remembers. */
export class WatchLog implements WatchListener {
  readonly events: StorageEvent[] = [];
  readonly ends: (StorageError | undefined)[] = [];

  get texts(): string[] {
    return this.events.map(eventText);
  }

  onEvents(events: readonly StorageEvent[]): void {
    this.events.push(...events);
  }

  onEnd(error?: StorageError): void {
    this.ends.push(error);
  }
}

/** Creates the keys one after the other, each with itself as value, and gives the revision of each. */
export async function createAll(storage: Storage, keys: readonly string[]): Promise<number[]> {
  const revisions: number[] = [];
  for (const key of keys) revisions.push((await storage.create(key, bytes(key))).revision);
  return revisions;
}
