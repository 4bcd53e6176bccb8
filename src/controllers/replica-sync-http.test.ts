import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededIds } from '../base/ids.ts';
import { silentLogger } from '../base/logger.ts';
import { HttpClient } from '../client/http-client.ts';
import { InProcessClient } from '../client/in-process-client.ts';
import { WatchRecord } from '../client/testing/watch-record.ts';
import { pod, type Pod } from '../kinds/core/pod.ts';
import { replicationController } from '../kinds/core/replication-controller.ts';
import { startServer } from '../server/testing/running-server.ts';
import { runControllers } from './loop/run-controllers.ts';
import { replicationControllers } from './replication-controller.ts';

test('over HTTP, where copies lag behind, not one pod too many is made or deleted', { timeout: 60_000 }, async (t) => {
  const server = await startServer();
  const { clock } = server;
  const client = new HttpClient({ access: { server: server.url }, clock, ids: seededIds(2) });
  const run = runControllers([replicationControllers], { client, clock, ids: seededIds(3), logger: silentLogger });
  t.after(async () => {
    await run.close();
    client.close();
    await server.close();
  });
  const record = new WatchRecord<Pod>();
  const direct = new InProcessClient({ registry: server.registry, user: { name: 'tester', groups: [] } });
  await direct.watch(pod, { resourceVersion: '0' }, record);
  await run.started;
  const web = { namespace: 'one', name: 'web' };
  async function settledAt(replicas: number): Promise<void> {
    for (;;) {
      const { status, metadata } = await client.get(replicationController, web);
      if (status.observedGeneration === metadata.generation && status.replicas === replicas) return;
      clock.step(20);
    }
  }
  const { metadata, spec, ...rest } = replicationController.example;
  const wanted = { ...rest, metadata: { ...metadata, ...web }, spec: { ...spec, replicas: 30 } };
  await client.create(replicationController, wanted);
  await settledAt(30);
  await client.patch(replicationController, web, { merge: { spec: { replicas: 4 } } });
  await settledAt(4);
  await client.patch(replicationController, web, { merge: { spec: { replicas: 6 } } });
  await settledAt(6);
  const count = (type: string): number => record.events.filter((each) => each.type === type).length;
  assert.deepEqual([count('ADDED'), count('DELETED')], [32, 26]);
});
