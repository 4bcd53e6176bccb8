import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { seededIds } from '../../base/ids.ts';
import { silentLogger } from '../../base/logger.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { service, type Service } from '../../kinds/core/service.ts';
import { openMemoryStorage } from '../../storage/memory/memory-storage.ts';
import { Registry } from '../registry.ts';
import { openRegistry, serve, shown, writeOptions } from '../testing/open-registry.ts';
import { Allocator } from './allocator.ts';
import { AllocationRepair } from './repair.ts';
import { serviceAllocation } from './service-allocation.ts';
import { addressRange, portRange } from './value-range.ts';

const services = { served: serve(service), namespace: 'one' };

function openScene(t: TestContext) {
  const clock = new SteppedClock();
  const storage = openMemoryStorage({ clock });
  const clusterIPs = new Allocator(storage, 'serviceips', addressRange('10.1.0.0/24'));
  const nodePorts = new Allocator(storage, 'servicenodeports', portRange('30000-30099'));
  const allocators = { clusterIPs, nodePorts };
  const { registry } = openRegistry({ storage, admission: [serviceAllocation(allocators)] });
  // As a server that has no such plugin, or an older one, would have stored them.
  const careless = new Registry({ ...registry.context, admission: [], ids: seededIds(2) });
  const reports: string[] = [];
  t.after(() => {
    registry.close();
    careless.close();
  });
  const create = async (through: typeof registry, name: string, spec: object = {}): Promise<Service> => {
    const body = { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
    return shown((await through.create(services, { ...writeOptions, body })).object);
  };
  return {
    ...allocators,
    create: (name: string, spec?: object) => create(registry, name, spec),
    createCarelessly: (name: string, spec: object) => create(careless, name, spec),
    remove: (name: string) => registry.delete({ ...services, name }, writeOptions),
    reports,
    clock,
    async open() {
      const report = ({ metadata }: Service, reason: string): void => void reports.push(`${metadata.name} ${reason}`);
      const repair = await AllocationRepair.open({ storage, allocators, clock, logger: silentLogger, report });
      t.after(() => repair.close());
      return repair;
    },
  };
}

test('what services have is left alone', async (t) => {
  const scene = openScene(t);
  await scene.create('a', { type: 'NodePort' });
  await scene.create('b', { clusterIP: 'None' });
  const claims = async () => [await scene.clusterIPs.claims(), await scene.nodePorts.claims()];
  const before = await claims();
  const repair = await scene.open();
  for (let round = 0; round < 3; round++) await repair.round();
  assert.deepEqual(await claims(), before);
  assert.deepEqual(scene.reports, []);
});

test('claims without a service are released, but not before they were seen twice', async (t) => {
  const scene = openScene(t);
  await scene.clusterIPs.claim('10.1.0.7', 'nobody');
  await scene.nodePorts.claim('30007', 'nobody');
  const repair = await scene.open();
  assert.equal((await scene.clusterIPs.claims()).length, 1);
  await repair.round();
  assert.deepEqual([await scene.clusterIPs.claims(), await scene.nodePorts.claims()], [[], []]);
});

test('a claim whose service comes in time is kept', async (t) => {
  const scene = openScene(t);
  await scene.clusterIPs.claim('10.1.0.7', 'on its way');
  const repair = await scene.open();
  await scene.clusterIPs.release('10.1.0.7', 'on its way');
  const { metadata } = await scene.create('late', { clusterIP: '10.1.0.7' });
  await repair.round();
  await repair.round();
  assert.deepEqual(await scene.clusterIPs.claims(), [{ value: '10.1.0.7', holder: metadata.uid }]);
});

test('what a service has without a claim is claimed for it', async (t) => {
  const scene = openScene(t);
  const ports = [
    { name: 'a', port: 80, nodePort: 30_001 },
    { name: 'b', port: 80, protocol: 'UDP', nodePort: 30_001 },
  ];
  const { metadata } = await scene.createCarelessly('a', { type: 'NodePort', clusterIP: '10.1.0.9', ports });
  await scene.open();
  assert.deepEqual(await scene.clusterIPs.claims(), [{ value: '10.1.0.9', holder: metadata.uid }]);
  assert.deepEqual(await scene.nodePorts.claims(), [{ value: '30001', holder: metadata.uid }]);
  await assert.rejects(scene.create('b', { clusterIP: '10.1.0.9' }), /another service/);
});

test('what two services have, and what is outside the range, is reported', async (t) => {
  const scene = openScene(t);
  await scene.create('first', { clusterIP: '10.1.0.9' });
  await scene.createCarelessly('second', { clusterIP: '10.1.0.9' });
  await scene.createCarelessly('outside', {
    clusterIP: '10.9.0.1',
    type: 'NodePort',
    ports: [{ port: 80, nodePort: 40_000 }],
  });
  await scene.open();
  assert.deepEqual(scene.reports.sort(), [
    'outside ClusterIPOutOfRange',
    'outside NodePortOutOfRange',
    'second ClusterIPAlreadyAllocated',
  ]);
});

test('a service takes over what was claimed for one that is gone', async (t) => {
  const scene = openScene(t);
  await scene.clusterIPs.claim('10.1.0.9', 'gone');
  const { metadata } = await scene.createCarelessly('heir', { clusterIP: '10.1.0.9' });
  const repair = await scene.open();
  await repair.round();
  await repair.round();
  assert.deepEqual(await scene.clusterIPs.claims(), [{ value: '10.1.0.9', holder: metadata.uid }]);
  assert.deepEqual(scene.reports, []);
});

test('rounds are repeated until it is closed', async (t) => {
  const scene = openScene(t);
  const repair = await scene.open();
  await scene.clusterIPs.claim('10.1.0.7', 'nobody');
  scene.clock.step(3 * 60_000);
  scene.clock.step(3 * 60_000);
  await repair.close();
  assert.deepEqual(await scene.clusterIPs.claims(), []);
  await scene.clusterIPs.claim('10.1.0.8', 'nobody');
  scene.clock.step(30 * 60_000);
  await repair.close();
  assert.equal((await scene.clusterIPs.claims()).length, 1);
});
