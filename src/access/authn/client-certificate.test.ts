import assert from 'node:assert/strict';
import { createServer, request, Agent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { CertificateKeeper, type Certificates } from '../certificates/certificate-keeper.ts';
import type { KeyPair } from '../certificates/key-pair.ts';
import { memoryPairStore } from '../certificates/pair-store.ts';
import type { Finding } from './authenticator.ts';
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
  const clock = new SteppedClock(Date.now());
  const authenticator = clientCertificateAuthenticator(clock);
  const admin = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

  before(async () => {
    certificates = await makeCertificates();
    const { certificate: cert, key } = certificates.serving;
    const options = { cert, key, ca: certificates.authority, requestCert: true, rejectUnauthorized: false };
    server = createServer(options, (incoming, response) => {
      const found = Promise.resolve(authenticator.authenticate(incoming));
      void found.then((finding) => response.end(JSON.stringify(finding)));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });
  after(() => server.close());

  function userFor(client: KeyPair | undefined, agent: Agent = new Agent()): Promise<Finding> {
    const { port } = server.address() as AddressInfo;
    const identity = client && { cert: client.certificate, key: client.key };
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', servername: 'localhost', port, ca: certificates.authority, agent };
      const sent = request({ ...options, ...identity }, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (body += chunk));
        response.on('end', () => resolve(JSON.parse(body) as Finding));
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

  test('of another authority, or for servers, is refused', async () => {
    assert.equal(await userFor((await makeCertificates()).admin), 'refused');
    assert.equal(await userFor(certificates.serving), 'refused');
  });

  test('that is refused is refused by a session that is resumed, too', async () => {
    const agent = new Agent({ keepAlive: false });
    const { admin: stranger } = await makeCertificates();
    for (let round = 0; round < 3; round++) assert.equal(await userFor(stranger, agent), 'refused');
  });

  test('that runs out while the connection lasts is refused from then on', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    assert.deepEqual(await userFor(certificates.admin, agent), admin);
    clock.step(366 * 24 * 60 * 60 * 1000);
    assert.equal(await userFor(certificates.admin, agent), 'refused');
    agent.destroy();
  });

  test('that is not there tells nothing', async () => {
    assert.equal(await userFor(undefined), 'absent');
  });
});
