import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../base/stepped-clock.ts';
import { endpoints } from '../kinds/core/endpoints.ts';
import { service } from '../kinds/core/service.ts';
import { isApiError } from '../kinds/meta/api-error.ts';
import { openMemoryStorage } from '../storage/memory/memory-storage.ts';
import { endpointsRemoval } from './endpoints-removal.ts';
import { openRegistry, serve, writeOptions } from './testing/open-registry.ts';

const services = { served: serve(service), namespace: 'one' };
const endpointsOfOne = { served: serve(endpoints), namespace: 'one' };

async function openWith(...names: string[]) {
  const storage = openMemoryStorage({ clock: new SteppedClock() });
  const { registry } = openRegistry({ storage, admission: [endpointsRemoval(storage)] });
  for (const name of names) {
    const metadata = { name };
    await registry.create(services, { ...writeOptions, body: { metadata, spec: { clusterIP: 'None' } } });
    await registry.create(endpointsOfOne, { ...writeOptions, body: { metadata } });
  }
  return registry;
}

test('the endpoints of a service go with it, and those of others stay', async () => {
  const registry = await openWith('web', 'db');
  await registry.delete({ ...services, name: 'web' }, writeOptions);
  await assert.rejects(registry.get({ ...endpointsOfOne, name: 'web' }), (error) => isApiError(error, 404));
  await registry.get({ ...endpointsOfOne, name: 'db' });
});

test('a service without endpoints can be deleted', async () => {
  const registry = await openWith('web');
  await registry.delete({ ...endpointsOfOne, name: 'web' }, writeOptions);
  await registry.delete({ ...services, name: 'web' }, writeOptions);
});

test('a dry run leaves the endpoints alone', async () => {
  const registry = await openWith('web');
  await registry.delete({ ...services, name: 'web' }, { ...writeOptions, dryRun: true });
  await registry.get({ ...endpointsOfOne, name: 'web' });
});
