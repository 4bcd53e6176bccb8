import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomIds } from '../base/ids.ts';
import { systemClock } from '../base/clock.ts';
import { configMap } from '../kinds/core/config-map.ts';
import { namespace } from '../kinds/core/namespace.ts';
import { startServer } from '../server/testing/running-server.ts';
import { clientSuite, type SuiteSubject } from './client-suite.ts';
import { HttpClient } from './http-client.ts';

async function open(): Promise<SuiteSubject> {
  const server = await startServer();
  const client = new HttpClient({ access: { server: server.url }, clock: systemClock, ids: randomIds });
  for (const name of ['default', 'one']) {
    await client.create(namespace, { kind: 'Namespace', apiVersion: 'v1', metadata: { name } });
  }
  return {
    client,
    storage: server.storage,
    async close() {
      client.close();
      await server.close();
    },
  };
}

clientSuite('over HTTP', open);

test('a server that is not there counts as unavailable', async () => {
  const client = new HttpClient({ access: { server: 'http://127.0.0.1:1' }, clock: systemClock, ids: randomIds });
  await assert.rejects(client.list(configMap), { name: 'ApiError', code: 503, reason: 'ServiceUnavailable' });
});
