import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap } from '../kinds/core/config-map.ts';
import type { StorageEvent } from '../storage/storage.ts';
import { EventCache } from './event-cache.ts';

function eventsOf(count: number, bytes: number): StorageEvent[] {
  const value = Buffer.alloc(bytes);
  return Array.from({ length: count }, (_, i) => ({
    type: 'created',
    key: `/registry/configmaps/one/${i}`,
    revision: i + 1,
    value,
  }));
}

/** How many of the events are still the same when they are asked for again, the newest first. */
function countKept(events: readonly StorageEvent[]): number {
  const cache = new EventCache();
  const made = events.map((event) => cache.of(configMap, event));
  const isKept = (i: number): boolean => cache.of(configMap, events[i]!) === made[i];
  let kept = 0;
  while (kept < events.length && isKept(events.length - 1 - kept)) kept++;
  return kept;
}

test('an event is made once for all who watch', () => {
  assert.equal(countKept(eventsOf(1000, 2000)), 1000);
});

test('large events are forgotten soon', () => {
  assert.ok(countKept(eventsOf(100, 1024 * 1024)) <= 16);
});
