import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../base/logger.ts';
import { event } from '../kinds/core/event.ts';
import { Expiry } from './expiry.ts';
import { Selection } from './selectors/selection.ts';
import { openRegistry, serve, writeOptions } from './testing/open-registry.ts';

const events = { served: serve(event), namespace: 'one' };
const minute = 60_000;

function open() {
  const { registry, storage, clock } = openRegistry();
  return {
    clock,
    follow: () => Expiry.open(event, { storage, clock, logger: silentLogger }),
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
