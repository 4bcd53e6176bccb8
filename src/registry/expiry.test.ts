import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../base/logger.ts';
import { event } from '../kinds/core/event.ts';
import { compacted, unavailable } from '../storage/errors.ts';
import type { WatchListener } from '../storage/storage.ts';
import { Expiry } from './expiry.ts';
import { Selection } from './selectors/selection.ts';
import { disturbed, type Disturbance } from './testing/disturbed-storage.ts';
import { openRegistry, serve, writeOptions } from './testing/open-registry.ts';

const events = { served: serve(event), namespace: 'one' };
const minute = 60_000;

function open(disturb: Disturbance = () => {}) {
  const { registry, storage, clock } = openRegistry();
  return {
    clock,
    follow: () => Expiry.open(event, { storage: disturbed(storage, disturb), clock, logger: silentLogger }),
    create(name: string): Promise<unknown> {
      const body = { ...event.example, metadata: { name }, involvedObject: { namespace: 'one' } };
      return registry.create(events, { ...writeOptions, body });
    },
    touch(name: string): Promise<unknown> {
      const body = { message: `seen at ${clock.now()}` };
      return registry.patch({ ...events, name }, { ...writeOptions, type: 'application/merge-patch+json', body });
    },
    /** Steps, then lets what fell due be written. */
    async step(ms: number): Promise<void> {
      clock.step(ms);
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    },
    async names(): Promise<string[]> {
      const { entries } = await registry.list(events, { selection: Selection.everything });
      return entries.map(({ key }) => key.split('/').at(-1)!);
    },
  };
}

test('an event goes an hour after its last change', async () => {
  const world = open();
  await world.create('early');
  const expiry = await world.follow();
  await world.step(30 * minute);
  await world.create('late');
  await world.step(20 * minute);
  await world.touch('early');
  await world.step(39 * minute);
  assert.deepEqual(await world.names(), ['early', 'late']);
  await world.step(minute);
  assert.deepEqual(await world.names(), ['early']);
  await world.step(20 * minute);
  assert.deepEqual(await world.names(), []);
  expiry.close();
});

test('what expired while nobody looked goes at once', async () => {
  const world = open();
  await world.create('old');
  await world.step(61 * minute);
  const expiry = await world.follow();
  await world.step(0);
  assert.deepEqual(await world.names(), []);
  expiry.close();
});

test('what could not be removed when it was due is removed later', async () => {
  let isFailing = true;
  const world = open((call) => {
    if (call === 'delete' && isFailing) throw unavailable('the disk is full', undefined);
  });
  await world.create('old');
  const expiry = await world.follow();
  await world.step(60 * minute);
  isFailing = false;
  await world.step(4_999);
  assert.deepEqual(await world.names(), ['old']);
  await world.step(1);
  assert.deepEqual(await world.names(), []);
  expiry.close();
});

test('a watch that ends while something is removed is begun anew', async () => {
  let listener: WatchListener | undefined;
  const world = open((call, _key, values) => {
    if (call === 'watch') listener = values[2] as WatchListener;
    if (call !== 'delete' || !listener) return;
    const ending = listener;
    listener = undefined;
    ending.onEnd(compacted(1, 2));
    throw unavailable('etcd lost what it had told', undefined);
  });
  await world.create('first');
  const expiry = await world.follow();
  await world.step(60 * minute);
  await world.step(5_000);
  assert.notEqual(listener, undefined);
  expiry.close();
});

test('what was written while the clock was ahead holds nothing up', async () => {
  const world = open();
  const expiry = await world.follow();
  await world.create('ahead');
  world.clock.setBy(-24 * 60 * minute);
  await world.create('behind');
  await world.step(60 * minute);
  await world.step(0);
  assert.deepEqual(await world.names(), ['ahead']);
  await world.step(60 * minute);
  assert.deepEqual(await world.names(), []);
  expiry.close();
});
