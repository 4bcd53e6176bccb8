import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyPair, type KeyPair } from '../../access/certificates/key-pair.ts';
import type { Node } from '../../kinds/core/node.ts';
import { addressOf } from './node-connections.ts';
import { openKeeper, startConnected, type ConnectedOptions } from './testing/connected-server.ts';

const log = '/api/v1/namespaces/one/pods/web/log';
const limit = { timeout: 20_000 };
const day = 24 * 60 * 60 * 1000;

const answering: ConnectedOptions = { answer: (_request, response) => void response.end('of the node') };

/** As a node that joined by itself has it. */
function selfSigned(names: readonly string[]): Promise<KeyPair> {
  const life = { notBefore: Date.now() - day, notAfter: Date.now() + day };
  return createKeyPair({ subject: { commonName: 'somewhere' }, use: 'server', names, ...life });
}

test('a node that signed its certificate itself is taken', limit, async (t) => {
  const server = await startConnected(t, { ...answering, pair: () => selfSigned([]) });
  assert.equal((await server.send('GET', log)).text, 'of the node');
});

for (const [what, pair] of [
  ['another node', (keeper) => keeper.nodePair('elsewhere', ['127.0.0.1'])],
  ['the API server itself', (keeper) => keeper.current.serving],
] as [string, NonNullable<ConnectedOptions['pair']>][]) {
  test(`what answers with the certificate of ${what} is not asked`, limit, async (t) => {
    for (const nodeAuthority of [undefined, (await openKeeper()).current.authority]) {
      const server = await startConnected(t, { ...answering, pair, nodeAuthority });
      const answer = await server.send('GET', log);
      assert.equal(answer.code, 503);
      assert.match(answer.json().message ?? '', /certificate of somebody else/);
      assert.deepEqual(server.node.seen, []);
    }
  });
}

test('where an authority is named, it or that of the cluster must have signed', limit, async (t) => {
  const other = await openKeeper();
  const nodeAuthority = other.current.authority;
  const asked = async (pair: ConnectedOptions['pair']): Promise<string> => {
    const server = await startConnected(t, { ...answering, pair, nodeAuthority });
    const { code, text } = await server.send('GET', log);
    assert.deepEqual(server.node.seen.length, code === 200 ? 1 : 0);
    return `${code} ${text}`;
  };
  assert.equal(await asked(undefined), '200 of the node');
  assert.equal(await asked(() => other.nodePair('any', ['127.0.0.1'])), '200 of the node');
  assert.match(await asked(() => other.nodePair('any', ['10.0.0.1'])), /^503 .*cannot be reached/);
  assert.match(await asked(() => selfSigned(['127.0.0.1'])), /^503 .*self-signed/);
});

test('of the addresses of a node the most internal one is taken', () => {
  const withAddresses = (...types: string[]): Node => {
    const addresses = types.map((type) => ({ type, address: `of ${type}` }));
    return { metadata: {}, spec: {}, status: { addresses } } as unknown as Node;
  };
  assert.equal(addressOf(withAddresses('Hostname', 'ExternalIP', 'InternalIP')), 'of InternalIP');
  assert.equal(addressOf(withAddresses('Hostname', 'ExternalIP')), 'of ExternalIP');
  assert.equal(addressOf(withAddresses('Hostname')), 'of Hostname');
  assert.equal(addressOf(withAddresses()), undefined);
});
