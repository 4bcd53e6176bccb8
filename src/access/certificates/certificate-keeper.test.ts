import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import {
  CertificateKeeper,
  kubeletClientName,
  type CertificateKeeperOptions,
  type Certificates,
} from './certificate-keeper.ts';
import { directoryPairStore, memoryPairStore } from './pair-store.ts';
import { servingNames } from './serving-names.ts';

const day = 24 * 60 * 60 * 1000;

async function openKeeper(options: Partial<CertificateKeeperOptions> = {}): Promise<CertificateKeeper> {
  const defaults = { store: memoryPairStore(), names: ['localhost', '127.0.0.1', '::1', '10.0.0.1', 'fd00:1::2:3'] };
  return CertificateKeeper.open({ clock: systemClock, logger: silentLogger, ...defaults, ...options });
}

interface CallResult {
  readonly status: number | undefined;
  readonly body: string;
}

interface CallOptions {
  readonly port: number;
  readonly ca: string;
  readonly host: string;
  readonly client?: { readonly certificate: string; readonly key: string };
}

function call({ port, ca, host, client }: CallOptions): Promise<CallResult> {
  return new Promise((resolve, reject) => {
    const options = { host, servername: host === '127.0.0.1' ? '' : host, port, ca, agent: false };
    const sent = request({ ...options, cert: client?.certificate, key: client?.key }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('a server with kept certificates', () => {
  let certificates: Certificates;
  let port: number;
  let server: ReturnType<typeof createServer>;

  before(async () => {
    const keeper = await openKeeper();
    keeper.close();
    certificates = keeper.current;
    const { certificate: cert, key } = certificates.serving;
    const options = { cert, key, ca: certificates.authority, requestCert: true, rejectUnauthorized: false };
    server = createServer(options, (incoming, response) => {
      const socket = incoming.socket as TLSSocket;
      const { CN, O } = socket.authorized ? socket.getPeerCertificate().subject : { CN: 'nobody', O: '' };
      response.end(JSON.stringify({ CN, O }));
    });
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    port = (server.address() as AddressInfo).port;
  });

  after(() => server.close());

  test('is trusted by a client that has the authority, by name and by address', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      assert.equal((await call({ port, ca: certificates.authority, host })).status, 200);
    }
  });

  test('sees the administrator behind the admin certificate', async () => {
    const answer = await call({ port, ca: certificates.authority, host: 'localhost', client: certificates.admin });
    assert.deepEqual(JSON.parse(answer.body), { CN: 'kubernetes-admin', O: 'system:masters' });
  });

  test('shows itself to nodes under a name of its own, in no group', async () => {
    const client = certificates.kubeletClient;
    const answer = await call({ port, ca: certificates.authority, host: 'localhost', client });
    assert.deepEqual(JSON.parse(answer.body), { CN: kubeletClientName });
  });

  test('takes a certificate of another authority for nobody', async () => {
    const stranger = await openKeeper();
    stranger.close();
    const answer = await call({ port, ca: certificates.authority, host: 'localhost', client: stranger.current.admin });
    assert.equal((JSON.parse(answer.body) as { CN: string }).CN, 'nobody');
  });

  test('is refused by a client that trusts another authority', async () => {
    const stranger = await openKeeper();
    stranger.close();
    await assert.rejects(call({ port, ca: stranger.current.authority, host: 'localhost' }), {
      code: /SIGNATURE|SELF_SIGNED|VERIFY|ISSUER/,
    });
  });
});

test('the serving certificate stands for every name of the machine and of the cluster', async () => {
  const names = servingNames(['10.0.0.1', 'api.example.com']);
  const keeper = await openKeeper({ names });
  keeper.close();
  const certificate = new X509Certificate(keeper.current.serving.certificate);
  for (const name of ['localhost', 'kubernetes', 'kubernetes.default.svc.cluster.local', 'api.example.com']) {
    assert.equal(certificate.checkHost(name, { subject: 'never' }), name);
  }
  for (const address of ['127.0.0.1', '::1', '10.0.0.1']) assert.equal(certificate.checkIP(address), address);
  assert.equal(certificate.checkHost('example.com'), undefined);
  assert.equal(certificate.checkIP('10.0.0.2'), undefined);
  assert.equal(certificate.ca, false);
});

test('a node gets a pair for its addresses, and the same again', async () => {
  const keeper = await openKeeper();
  keeper.close();
  const pair = await keeper.nodePair('worker-1', ['worker-1', '10.0.0.7']);
  const certificate = new X509Certificate(pair.certificate);
  assert.ok(certificate.verify(new X509Certificate(keeper.current.authority).publicKey));
  assert.match(certificate.subject, /CN=system:node:worker-1/);
  assert.equal(certificate.checkIP('10.0.0.7'), '10.0.0.7');
  assert.deepEqual(await keeper.nodePair('worker-1', ['10.0.0.7']), pair);
  assert.notDeepEqual(await keeper.nodePair('worker-1', ['10.0.0.8']), pair);
  await assert.rejects(keeper.nodePair('../ca', []), RangeError);
});

describe('certificates in a directory', () => {
  let parent: string;
  let place: string;

  before(async () => {
    parent = await mkdtemp(join(tmpdir(), 'wherry-certificates-'));
    place = join(parent, 'pki');
  });
  after(() => rm(parent, { recursive: true, force: true }));

  async function openIn(directory: string, options: Partial<CertificateKeeperOptions> = {}): Promise<Certificates> {
    const keeper = await openKeeper({ store: directoryPairStore(directory), ...options });
    keeper.close();
    return keeper.current;
  }

  test('can be read by their owner only', async () => {
    await openIn(place);
    assert.equal((await stat(place)).mode & 0o777, 0o700);
    const files = (await readdir(place)).sort();
    const pairs = ['admin', 'apiserver', 'ca', 'kubelet-client'];
    assert.deepEqual(
      files,
      pairs.flatMap((name) => [`${name}.crt`, `${name}.key`]),
    );
    for (const file of files) assert.equal((await stat(join(place, file))).mode & 0o777, 0o600);
  });

  test('are the same after the next start', async () => {
    assert.deepEqual(await openIn(place), await openIn(place));
  });

  test('keep the authority and get a new serving pair when a name is added', async () => {
    const old = await openIn(place);
    const now = await openIn(place, { names: ['localhost', '10.9.8.7'] });
    assert.equal(now.authority, old.authority);
    assert.deepEqual(now.admin, old.admin);
    assert.notEqual(now.serving.certificate, old.serving.certificate);
    assert.equal(new X509Certificate(now.serving.certificate).checkIP('10.9.8.7'), '10.9.8.7');
  });

  test('keep a serving pair that stands for more than is asked for', async () => {
    const wide = await openIn(join(parent, 'wide'), { names: ['localhost', 'other'] });
    assert.deepEqual(await openIn(join(parent, 'wide'), { names: ['localhost'] }), wide);
  });

  test('are made anew when a pair is damaged', async () => {
    const directory = join(parent, 'damaged');
    const old = await openIn(directory);
    await writeFile(join(directory, 'admin.key'), 'not a key');
    const now = await openIn(directory);
    assert.notEqual(now.admin.certificate, old.admin.certificate);
    assert.deepEqual(now.serving, old.serving);
  });

  test('are refused when the authority lost its key, and nothing is overwritten', async () => {
    const directory = join(parent, 'keyless');
    await openIn(directory);
    await rm(join(directory, 'ca.key'));
    await assert.rejects(openIn(directory), /ca\.crt, ca\.key.*cannot be used.*restore both files/);
    assert.equal((await readdir(directory)).includes('ca.key'), false);
  });

  test(
    'tell who cannot read them that they cannot',
    { skip: process.getuid?.() === 0 && 'root reads all' },
    async () => {
      const directory = join(parent, 'closed');
      await openIn(directory);
      await chmod(join(directory, 'ca.key'), 0o000);
      await assert.rejects(openIn(directory), { code: 'EACCES' });
    },
  );
});

describe('as time passes', () => {
  test('pairs are renewed before they expire, and listeners hear of it', async () => {
    const clock = new SteppedClock();
    const keeper = await openKeeper({ clock });
    const first = keeper.current;
    const heard: Certificates[] = [];
    keeper.onRenewal((certificates) => heard.push(certificates));

    clock.step(270 * day);
    await keeper.renew();
    assert.equal(heard.length, 0);
    assert.deepEqual(keeper.current, first);

    clock.step(10 * day);
    await keeper.renew();
    assert.equal(heard.length, 1);
    assert.equal(keeper.current.authority, first.authority);
    assert.notEqual(keeper.current.serving.certificate, first.serving.certificate);
    assert.notEqual(keeper.current.admin.certificate, first.admin.certificate);
    const validTo = Date.parse(new X509Certificate(keeper.current.serving.certificate).validTo);
    assert.ok(validTo > clock.now() + 360 * day);
    keeper.close();
  });

  test('an authority near its end is replaced, and no pair outlives its authority', async () => {
    const clock = new SteppedClock();
    const store = memoryPairStore();
    const first = await openKeeper({ clock, store });
    first.close();
    clock.step(3290 * day);
    const second = await openKeeper({ clock, store });
    second.close();
    assert.notEqual(second.current.authority, first.current.authority);
    const authority = new X509Certificate(second.current.authority);
    for (const pair of [second.current.serving, second.current.admin]) {
      const certificate = new X509Certificate(pair.certificate);
      assert.ok(certificate.verify(authority.publicKey));
      assert.ok(Date.parse(certificate.validTo) <= Date.parse(authority.validTo));
    }
  });

  test('years from 2050 on are written so that they can be read', async () => {
    const clock = new SteppedClock(Date.UTC(2049, 11, 1));
    const keeper = await openKeeper({ clock });
    keeper.close();
    const validTo = Date.parse(new X509Certificate(keeper.current.serving.certificate).validTo);
    assert.equal(validTo, clock.now() + 365 * day);
  });
});
