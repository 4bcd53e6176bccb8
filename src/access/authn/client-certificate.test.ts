import assert from 'node:assert/strict';
import { createServer, request, Agent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import type { User } from '../../registry/write.ts';
import { CertificateKeeper, type Certificates } from '../certificates/certificate-keeper.ts';
import type { KeyPair } from '../certificates/key-pair.ts';
import { memoryPairStore } from '../certificates/pair-store.ts';
import { clientCertificateAuthenticator } from './client-certificate.ts';

async function makeCertificates(): Promise<Certificates> {
  const options = { store: memoryPairStore(), names: ['localhost'], clock: systemClock, logger: silentLogger };
  const keeper = await CertificateKeeper.open(options);
  keeper.close();
  return keeper.current;
}

describe('a client certificate', () => {
  let certificates: Certificates;
  let server: ReturnType<typeof createServer>;
  const authenticator = clientCertificateAuthenticator();
  const admin = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

  before(async () => {
    certificates = await makeCertificates();
    const { certificate: cert, key } = certificates.serving;
    const options = { cert, key, ca: certificates.authority, requestCert: true, rejectUnauthorized: false };
    server = createServer(options, (incoming, response) => {
      response.end(JSON.stringify(authenticator.authenticate(incoming) ?? null));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });
  after(() => server.close());

  function userFor(client: KeyPair | undefined, agent: Agent = new Agent()): Promise<User | null> {
    const { port } = server.address() as AddressInfo;
    const identity = client && { cert: client.certificate, key: client.key };
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', servername: 'localhost', port, ca: certificates.authority, agent };
      const sent = request({ ...options, ...identity }, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (body += chunk));
        response.on('end', () => resolve(JSON.parse(body) as User | null));
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  test('of the own authority tells the user and the groups, on every request of a connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let round = 0; round < 3; round++) assert.deepEqual(await userFor(certificates.admin, agent), admin);
    agent.destroy();
  });

  test('is remembered by a session that is resumed', async () => {
    const agent = new Agent({ keepAlive: false });
    for (let round = 0; round < 3; round++) assert.deepEqual(await userFor(certificates.admin, agent), admin);
  });

  test('of another authority, or none, tells nothing', async () => {
    assert.equal(await userFor(undefined), null);
    assert.equal(await userFor((await makeCertificates()).admin), null);
  });
});
