import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { service, type Service } from '../../kinds/core/service.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { openMemoryStorage } from '../../storage/memory/memory-storage.ts';
import { openRegistry, serve, shown, writeOptions } from '../testing/open-registry.ts';
import { Allocator } from './allocator.ts';
import { serviceAllocation } from './service-allocation.ts';
import { addressRange, portRange } from './value-range.ts';

const services = { served: serve(service), namespace: 'one' };
const strategicPatch = 'application/strategic-merge-patch+json' as const;

function open(block = '10.1.0.0/16') {
  const storage = openMemoryStorage({ clock: new SteppedClock() });
  const clusterIPs = new Allocator(storage, 'serviceips', addressRange(block));
  const nodePorts = new Allocator(storage, 'servicenodeports', portRange('30000-30099'));
  const { registry } = openRegistry({ storage, admission: [serviceAllocation({ clusterIPs, nodePorts })] });
  return {
    clusterIPs,
    nodePorts,
    async create(name: string, spec: object = {}, dryRun = false): Promise<Service> {
      const body = { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
      const { object } = await registry.create(services, { ...writeOptions, dryRun, body });
      return shown(object);
    },
    async patch(name: string, body: object): Promise<Service> {
      const { object } = await registry.patch({ ...services, name }, { ...writeOptions, type: strategicPatch, body });
      return shown(object);
    },
    remove: (name: string) => registry.delete({ ...services, name }, writeOptions),
  };
}

test('a thousand services made at once get a thousand addresses', async () => {
  const cluster = open();
  const made = await Promise.all(Array.from({ length: 1000 }, (_, i) => cluster.create(`s${i}`)));
  assert.equal(new Set(made.map(({ spec }) => spec?.clusterIP)).size, 1000);
});

test('a taken address is refused with 422 until its service is gone', async () => {
  const cluster = open();
  const { spec } = await cluster.create('first');
  const clusterIP = spec!.clusterIP;
  await assert.rejects(cluster.create('second', { clusterIP }), (error) => {
    assert(error instanceof ApiError);
    assert.equal(error.code, 422);
    assert.equal(error.status.details?.causes?.[0]?.field, 'spec.clusterIP');
    return true;
  });
  await cluster.remove('first');
  assert.equal((await cluster.create('second', { clusterIP })).spec?.clusterIP, clusterIP);
});

test('what a refused create claimed is free again', async () => {
  const cluster = open();
  await cluster.create('first', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] });
  const claimed = (await cluster.clusterIPs.claims()).length;
  const clash = { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] };
  await assert.rejects(cluster.create('second', clash), ApiError);
  assert.equal((await cluster.clusterIPs.claims()).length, claimed);
});

test('a headless service and a dry run claim nothing', async () => {
  const cluster = open();
  await cluster.create('headless', { clusterIP: 'None' });
  const tried = await cluster.create('tried', {}, true);
  assert.match(tried.spec!.clusterIP!, /^10\.1\./);
  assert.deepEqual(await cluster.clusterIPs.claims(), []);
});

test('a service that had no address is given none, but may be written one', async () => {
  const cluster = open();
  const { spec: taken } = await cluster.create('other');
  await cluster.create('s', { clusterIP: 'None' });
  assert.equal((await cluster.patch('s', { spec: { clusterIP: null } })).spec?.clusterIP, undefined);
  await assert.rejects(cluster.patch('s', { spec: { clusterIP: taken!.clusterIP } }), ApiError);
  const clusterIP = '10.1.7.7';
  assert.equal((await cluster.patch('s', { spec: { clusterIP } })).spec?.clusterIP, clusterIP);
  await assert.rejects(cluster.create('second', { clusterIP }), ApiError);
});

test('an address of elsewhere is refused to a new service and taken for one that had none', async () => {
  const cluster = open();
  await assert.rejects(cluster.create('s', { clusterIP: '192.0.2.1' }), ApiError);
  await cluster.create('s', { clusterIP: 'None' });
  assert.equal((await cluster.patch('s', { spec: { clusterIP: '192.0.2.1' } })).spec?.clusterIP, '192.0.2.1');
  await cluster.remove('s');
});

test('node ports come and go with the type of the service', async () => {
  const cluster = open();
  await cluster.create('s');
  const exposed = await cluster.patch('s', { spec: { type: 'NodePort' } });
  const { nodePort } = exposed.spec!.ports[0]!;
  assert.deepEqual(
    (await cluster.nodePorts.claims()).map(({ value }) => value),
    [String(nodePort)],
  );
  await cluster.patch('s', { spec: { type: 'ClusterIP', ports: [{ port: 80, nodePort: null }] } });
  assert.deepEqual(await cluster.nodePorts.claims(), []);
});

test('a full range is answered with 503', async () => {
  const cluster = open('10.1.0.0/30');
  await cluster.create('a');
  await cluster.create('b');
  await assert.rejects(cluster.create('c'), (error) => error instanceof ApiError && error.code === 503);
});
