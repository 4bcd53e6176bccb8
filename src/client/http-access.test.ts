import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { after, before, test } from 'node:test';
import { CertificateKeeper } from '../access/certificates/certificate-keeper.ts';
import { memoryPairStore } from '../access/certificates/pair-store.ts';
import { systemClock } from '../base/clock.ts';
import { randomIds } from '../base/ids.ts';
import { silentLogger } from '../base/logger.ts';
import { configMap } from '../kinds/core/config-map.ts';
import type { HttpAccess } from './http-access.ts';
import { HttpClient } from './http-client.ts';

let keeper: CertificateKeeper;
let server: Server;
let url: string;

/** A server that answers with who it takes the client for. */
before(async () => {
  const parts = { store: memoryPairStore(), names: ['localhost'], clock: systemClock, logger: silentLogger };
  keeper = await CertificateKeeper.open(parts);
  const { authority, serving } = keeper.current;
  const tls = { cert: serving.certificate, key: serving.key, ca: authority };
  server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const { socket } = request;
    const peer = socket instanceof TLSSocket && socket.authorized ? socket.getPeerCertificate().subject.CN : 'nobody';
    const data = { peer, authorization: request.headers.authorization ?? '' };
    response.end(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: {}, data }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => {
  keeper.close();
  server.closeAllConnections();
  server.close();
});

async function ask(access: Omit<HttpAccess, 'server'>): Promise<Record<string, string> | undefined> {
  const client = new HttpClient({ access: { server: url, ...access }, clock: systemClock, ids: randomIds });
  try {
    return (await client.get(configMap, { namespace: 'one', name: 'me' })).data;
  } finally {
    client.close();
  }
}

// The certificate stands for localhost only, so that the name has to be said.
const tlsServerName = 'localhost';

test('a client certificate is shown to a server that the authority vouches for', async () => {
  const { authority, admin } = keeper.current;
  const { certificate, key } = admin;
  assert.equal((await ask({ authority, certificate, key, tlsServerName }))?.peer, 'kubernetes-admin');
});

test('a token or a password goes into the header', async () => {
  const { authority } = keeper.current;
  const withToken = await ask({ authority, tlsServerName, token: 'abc' });
  assert.deepEqual(withToken, { peer: 'nobody', authorization: 'Bearer abc' });
  const withPassword = await ask({ authority, tlsServerName, username: 'me', password: 'secret' });
  assert.equal(withPassword?.authorization, `Basic ${Buffer.from('me:secret').toString('base64')}`);
});

test('a server that nobody vouches for, or with another name, is not talked to', async () => {
  const { authority } = keeper.current;
  await assert.rejects(ask({ tlsServerName, token: 'abc' }), { code: 503 });
  await assert.rejects(ask({ authority, token: 'abc' }), { code: 503 });
});

test('whoever says so talks to any server', async () => {
  assert.equal((await ask({ insecureSkipTlsVerify: true }))?.peer, 'nobody');
});
