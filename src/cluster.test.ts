import assert from 'node:assert/strict';
import type { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, test, type TestContext } from 'node:test';
import { SteppedClock } from './base/stepped-clock.ts';
import type { Cluster, ClusterOptions } from './cluster-options.ts';
import { startCluster } from './cluster.ts';

async function start(context: TestContext, options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = await startCluster({ insecurePort: 0, ...options });
  context.after(() => cluster.close());
  return cluster;
}

interface Reply {
  readonly status: number;
  readonly body: { readonly [field: string]: unknown };
}

async function send(cluster: Cluster, path: string, body?: object): Promise<Reply> {
  const request = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${cluster.insecureUrl}${path}`, request);
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

/** The certificate that the TLS port shows. */
function shownCertificate({ secureUrl, admin }: Cluster): Promise<X509Certificate> {
  const { hostname, port } = new URL(secureUrl);
  return new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const socket = connect({ host, port: Number(port), ca: admin.authority, rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate) resolve(certificate);
      else reject(new Error('no certificate was shown'));
    });
    socket.on('error', reject);
  });
}

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('a cluster', () => {
  test('has the default namespace, and in it the service under which pods find the server', async (context) => {
    const cluster = await start(context, { serviceClusterIpRange: '10.7.0.0/16' });
    const { status, body } = await send(cluster, '/api/v1/namespaces/default/services/kubernetes');
    assert.equal(status, 200);
    const { clusterIP, ports } = body.spec as { clusterIP: string; ports: readonly { targetPort: number }[] };
    assert.equal(clusterIP, '10.7.0.1');
    assert.equal(ports[0]?.targetPort, Number(new URL(cluster.secureUrl).port));
  });

  test('tells where its service leads when other machines can reach it', async (context) => {
    const cluster = await start(context, { bindAddress: '0.0.0.0' });
    const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
    const { status, body } = await send(cluster, '/api/v1/namespaces/default/endpoints/kubernetes');
    if (!own.some(({ family, internal }) => family === 'IPv4' && !internal)) return assert.equal(status, 404);
    const [subset] = body.subsets as { addresses: { ip: string }[]; ports: { port: number }[] }[];
    assert.ok(own.some(({ address }) => address === subset?.addresses[0]?.ip));
    assert.equal(subset?.ports[0]?.port, Number(new URL(cluster.secureUrl).port));
    return undefined;
  });

  test('shares nothing with another one in the same process', async (context) => {
    const [one, other] = [await start(context), await start(context)];
    assert.equal((await send(one, configMaps, { metadata: { name: 'mine' } })).status, 200);
    assert.equal((await send(one, `${configMaps}/mine`)).status, 200);
    assert.equal((await send(other, `${configMaps}/mine`)).status, 404);
    assert.notEqual(one.admin.authority, other.admin.authority);
  });

  test('gives services addresses and ports of the ranges it was started with', async (context) => {
    const cluster = await start(context, { serviceNodePortRange: { first: 31_000, last: 31_000 } });
    const services = '/api/v1/namespaces/default/services';
    const spec = { type: 'NodePort', ports: [{ port: 80 }] };
    const { body } = await send(cluster, services, { metadata: { name: 'web' }, spec });
    const { ports } = body.spec as { ports: readonly { nodePort: number }[] };
    assert.equal(ports[0]?.nodePort, 31_000);
    assert.notEqual((await send(cluster, services, { metadata: { name: 'more' }, spec })).status, 200);
  });

  test('asks the admission plugins that it was started with, but not for its own first objects', async (context) => {
    const cluster = await start(context, { admissionControl: ['AlwaysDeny'] });
    assert.equal((await send(cluster, '/api/v1/namespaces/default')).status, 200);
    const { body } = await send(cluster, '/apis/rbac.authorization.k8s.io/v1/clusterroles/admin');
    assert.ok((body.rules as readonly object[]).length > 5);
    assert.equal((await send(cluster, configMaps, { metadata: { name: 'refused' } })).status, 403);
  });

  test('in a directory knows its objects after a restart, and points its service at the new port', async (context) => {
    const directory = await mkdtemp(join(tmpdir(), 'wherry-cluster-'));
    context.after(() => rm(directory, { recursive: true, force: true }));
    const storage = { make: 'lmdb', directory } as const;
    const first = await startCluster({ storage, insecurePort: 0 });
    await send(first, configMaps, { metadata: { name: 'kept' } });
    await first.close();
    const second = await startCluster({ storage, insecurePort: 0 });
    try {
      assert.equal((await send(second, `${configMaps}/kept`)).status, 200);
      const { body } = await send(second, '/api/v1/namespaces/default/services/kubernetes');
      const { ports } = body.spec as { ports: readonly { targetPort: number }[] };
      assert.equal(ports[0]?.targetPort, Number(new URL(second.secureUrl).port));
    } finally {
      await second.close();
    }
  });

  test('says where it serves when it serves on every address', async (context) => {
    const cluster = await start(context, { bindAddress: '0.0.0.0' });
    assert.match(cluster.secureUrl, /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await shownCertificate(cluster)).checkIP('127.0.0.1'), '127.0.0.1');
  });

  test('shows a renewed certificate without a restart', async (context) => {
    const clock = new SteppedClock(Date.now());
    const cluster = await start(context, { clock });
    const before = await shownCertificate(cluster);
    clock.step(300 * 24 * 60 * 60 * 1000);
    let after = before;
    // Renewal happens beside: each look is a round trip, which gives it time to get there.
    for (let look = 0; look < 200 && after.fingerprint256 === before.fingerprint256; look++) {
      after = await shownCertificate(cluster);
    }
    assert.notEqual(after.fingerprint256, before.fingerprint256);
    assert.ok(Date.parse(after.validTo) > Date.parse(before.validTo));
  });
});

describe('a cluster that cannot start', () => {
  test('names the option that is wrong', async () => {
    for (const [options, why] of [
      [{ serviceClusterIpRange: '10.0.0.0' }, /10\.0\.0\.0/],
      [{ serviceNodePortRange: { first: 2, last: 1 } }, /2-1/],
      [{ admissionControl: ['Nonsense'] }, /Nonsense/],
      [{ authorizationMode: ['Nonsense'] }, /Nonsense/],
      [{ authorizationMode: ['ABAC'] }, /policy file/],
      [{ kubeletCertificateAuthority: '/dev/null' }, /\/dev\/null holds no certificate/],
      [{ kubeletCertificateAuthority: 'nowhere.pem' }, /nowhere\.pem/],
    ] as const) {
      await assert.rejects(startCluster(options), (error: Error) => {
        assert.equal(error.name, 'OptionsError');
        assert.match(error.message, why);
        return true;
      });
    }
  });

  test('leaves nothing open: the same directory can be used at once', async (context) => {
    const directory = await mkdtemp(join(tmpdir(), 'wherry-cluster-'));
    context.after(() => rm(directory, { recursive: true, force: true }));
    const storage = { make: 'lmdb', directory } as const;
    const holder = await start(context);
    const taken = Number(new URL(holder.secureUrl).port);
    await assert.rejects(startCluster({ storage, securePort: taken }), { code: 'EADDRINUSE' });
    const cluster = await startCluster({ storage });
    await cluster.close();
    await cluster.close();
  });
});
