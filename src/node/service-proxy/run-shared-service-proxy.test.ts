import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openClient, type ClientFixture } from '../../client/testing/client-fixture.ts';
import { endpoints as endpointsKind } from '../../kinds/core/endpoints.ts';
import { event as eventKind } from '../../kinds/core/event.ts';
import { service as serviceKind } from '../../kinds/core/service.ts';
import { runSharedServiceProxy, type SharedServiceProxyRun } from './run-shared-service-proxy.ts';
import { namedBackend, type Backend } from './testing/backend.ts';
import { freePort, serviceAddress } from './testing/loopback.ts';
import { call, type Target } from './testing/visitor.ts';

const limit = { timeout: 20_000 };
let fixture: ClientFixture;
let backend: Backend;
let target: Target;
let runs: SharedServiceProxyRun[];

beforeEach(async () => {
  fixture = await openClient();
  backend = await namedBackend('a');
  target = { host: serviceAddress, port: await freePort() };
  runs = [];
  const metadata = { name: 'web', namespace: 'one' };
  const spec = { clusterIP: serviceAddress, ports: [{ port: target.port, protocol: 'TCP' as const }] };
  await fixture.client.create(serviceKind, { kind: 'Service', apiVersion: 'v1', metadata, spec });
  const ports = [{ port: backend.port, protocol: 'TCP' as const }];
  const subsets = [{ addresses: [{ ip: backend.ip }], ports }];
  await fixture.client.update(endpointsKind, { kind: 'Endpoints', apiVersion: 'v1', metadata, subsets });
});
afterEach(async () => {
  await Promise.all(runs.map((run) => run.close()));
  await backend.close();
  await fixture.close();
});

async function start(nodeName: string, clusterId = `cluster of ${process.pid}`): Promise<SharedServiceProxyRun> {
  const run = runSharedServiceProxy({ ...fixture, nodeName, clusterId });
  runs.push(run);
  await run.started;
  return run;
}

/** Lets seconds pass until somebody answers. */
async function answerInTime(): Promise<string> {
  for (;;) {
    const answer = await call(target);
    if (answer !== 'ECONNREFUSED') return answer;
    fixture.clock.step(1000);
  }
}

describe('several nodes of a machine', limit, () => {
  it('open services once, and another takes over when the one that did is gone', async () => {
    const first = await start('node-1');
    await start('node-2');
    await start('node-3');
    assert.equal(await call(target), 'a');
    fixture.clock.step(5000);
    await first.close();
    assert.equal(await call(target), 'ECONNREFUSED');
    assert.equal(await answerInTime(), 'a');
    const { items } = await fixture.client.list(eventKind);
    assert.deepEqual(items.map(({ message }) => message), [], 'nobody complains of ports that are taken'); // prettier-ignore
  });

  it('of different clusters do not wait for each other', async () => {
    await start('node-1');
    await start('node-1', `another cluster of ${process.pid}`);
    const { items } = await fixture.client.list(eventKind);
    assert.match(items.map(({ message }) => message).join(), /another program of this machine has TCP port/);
  });

  it('that wait can be closed', async () => {
    await start('node-1');
    const waiting = await start('node-2');
    await waiting.close();
    assert.equal(await call(target), 'a');
  });
});
