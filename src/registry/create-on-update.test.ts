import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../base/stepped-clock.ts';
import { endpoints } from '../kinds/core/endpoints.ts';
import { openMemoryStorage } from '../storage/memory/memory-storage.ts';
import { disturbed } from './testing/disturbed-storage.ts';
import { openRegistry, serve, shown, writeOptions } from './testing/open-registry.ts';

const address = { served: serve(endpoints), namespace: 'one', name: 'web' };

function put({ registry }: ReturnType<typeof openRegistry>, ip: string): ReturnType<typeof registry.update> {
  const body = { metadata: { name: 'web' }, subsets: [{ addresses: [{ ip }], ports: [{ port: 80 }] }] };
  return registry.update(address, { ...writeOptions, body });
}

test('of two that replace what is missing one makes it and the other changes it', async () => {
  const storage = openMemoryStorage({ clock: new SteppedClock() });
  let isFirst = true;
  const late = openRegistry({
    storage: disturbed(storage, async (call) => {
      if (call !== 'create' || !isFirst) return;
      isFirst = false;
      await put(openRegistry({ storage }), '10.0.0.1');
    }),
  });
  const { created, object } = await put(late, '10.0.0.2');
  assert.equal(created, false);
  assert.match(JSON.stringify(shown(object)), /10\.0\.0\.2/);
});

test('what is removed while it is replaced is made anew, with a uid of its own', async () => {
  const storage = openMemoryStorage({ clock: new SteppedClock() });
  const other = openRegistry({ storage });
  const { object: before } = await put(other, '10.0.0.1');
  let isFirst = true;
  const late = openRegistry({
    storage: disturbed(storage, async (call) => {
      if (call !== 'update' || !isFirst) return;
      isFirst = false;
      await other.registry.delete(address, writeOptions);
    }),
  });
  late.clock.step(1000);
  const { created, object } = await put(late, '10.0.0.2');
  assert.equal(created, true);
  assert.notEqual(shown(object).metadata.creationTimestamp, shown(before).metadata.creationTimestamp);
});
