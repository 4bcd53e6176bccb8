import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../testing/running-server.ts';

const maps = '/api/v1/namespaces/one/configmaps';

test('a limit that cannot be kept to asks for everything', { timeout: 20_000 }, async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  for (const name of ['a', 'b']) await server.send('POST', maps, { body: { metadata: { name } } });
  for (const limit of ['-1', '0', 'x', '1.5', '']) {
    const { items, metadata } = (await server.send('GET', `${maps}?limit=${limit}`)).json();
    assert.equal(items?.length, 2, limit);
    assert.equal((metadata as { continue?: string }).continue, undefined, limit);
  }
});
