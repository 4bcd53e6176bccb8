import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededIds } from '../base/ids.ts';
import { silentLogger } from '../base/logger.ts';
import { SteppedClock } from '../base/stepped-clock.ts';
import { event } from '../kinds/core/event.ts';
import { openMemoryStorage } from '../storage/memory/memory-storage.ts';
import { Registry } from './registry.ts';
import { serve, shown, writeOptions } from './testing/open-registry.ts';

const served = serve(event);
const collection = { served, namespace: 'one' };
const address = { ...collection, name: 'started' };

function body(count: number): object {
  return { metadata: { name: 'started' }, involvedObject: { kind: 'Pod', namespace: 'one' }, count };
}

function openEvents(): { registry: Registry; clock: SteppedClock } {
  const clock = new SteppedClock(Date.UTC(2030, 0, 1));
  const parts = { kinds: [event], admission: [], clock, ids: seededIds(1), logger: silentLogger };
  return { registry: new Registry({ ...parts, storage: openMemoryStorage({ clock }) }), clock };
}

test('an event says from the beginning when it will go', async (t) => {
  const { registry } = openEvents();
  t.after(() => registry.close());
  const { object } = await registry.create(collection, { ...writeOptions, body: body(1) });
  assert.equal(shown(object).metadata.deletionTimestamp, '2030-01-01T01:00:00Z');
});

test('a change gives an event a new hour and does not remove it', async (t) => {
  const { registry, clock } = openEvents();
  t.after(() => registry.close());
  await registry.create(collection, { ...writeOptions, body: body(1) });
  clock.step(60_000);
  await registry.update(address, { ...writeOptions, body: body(2) });
  const object = await registry.get(address);
  assert.equal(shown(object).metadata.deletionTimestamp, '2030-01-01T01:01:00Z');
});

test('a replace that changes nothing leaves an event as it is', async (t) => {
  const { registry, clock } = openEvents();
  t.after(() => registry.close());
  const created = await registry.create(collection, { ...writeOptions, body: body(1) });
  clock.step(60_000);
  const { object } = await registry.update(address, { ...writeOptions, body: body(1) });
  assert.equal(object.revision, created.object.revision);
  assert.equal(shown(object).metadata.deletionTimestamp, '2030-01-01T01:00:00Z');
});
