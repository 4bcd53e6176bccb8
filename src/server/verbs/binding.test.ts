import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../testing/running-server.ts';

const namespace = '/api/v1/namespaces/one';
const limit = { timeout: 20_000 };

test('a binding is about the namespace of its path, whichever its body names', limit, async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  for (const name of ['first', 'second']) {
    const spec = { containers: [{ name: 'main', image: 'busybox' }] };
    await server.send('POST', `${namespace}/pods`, { body: { metadata: { name }, spec } });
  }
  const bound = { first: `${namespace}/bindings`, second: `${namespace}/pods/second/binding` };
  for (const [name, path] of Object.entries(bound)) {
    const body = { metadata: { name, namespace: 'two' }, target: { name: 'here' } };
    assert.equal((await server.send('POST', path, { body })).json().status, 'Success', path);
    const pod = (await server.send('GET', `${namespace}/pods/${name}`)).json() as { spec?: { nodeName?: string } };
    assert.equal(pod.spec?.nodeName, 'here', path);
  }
});
