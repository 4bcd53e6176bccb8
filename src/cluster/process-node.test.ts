import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, test, type TestContext } from 'node:test';
import { keepOwnNodePair } from '../access/certificates/node-pair.ts';
import { memoryPairStore } from '../access/certificates/pair-store.ts';
import { systemClock } from '../base/clock.ts';
import { randomIds } from '../base/ids.ts';
import { silentLogger } from '../base/logger.ts';
import { SteppedClock } from '../base/stepped-clock.ts';
import { HttpClient } from '../client/http-client.ts';
import type { Cluster, ClusterOptions } from '../cluster-options.ts';
import { startCluster } from '../cluster.ts';
import type { Node } from '../kinds/core/node.ts';
import { hostNodeName } from './host-node-name.ts';
import { startProcessNode, type ProcessNodeOptions } from './process-node.ts';

const day = 24 * 60 * 60 * 1000;
const skip = process.platform === 'linux' ? false : 'pods are processes on Linux only';
const limit = { timeout: 60_000, skip };
const name = hostNodeName();

async function directoryFor(context: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-process-node-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function startIn(directory: string, options: ClusterOptions): Promise<Cluster> {
  const nodes = { count: 1, runtime: 'process' } as const;
  return startCluster({ storage: { make: 'lmdb', directory }, insecurePort: 0, nodes, ...options });
}

async function nodePort({ insecureUrl }: Cluster): Promise<number> {
  const node = (await (await fetch(`${insecureUrl}/api/v1/nodes/${name}`)).json()) as Node;
  return node.status.daemonEndpoints.kubeletEndpoint?.Port ?? 0;
}

/** The certificate that the node shows; whoever has none to show is sent away only then. */
function shownBy(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

async function nodeHealth({ insecureUrl }: Cluster): Promise<string> {
  return (await fetch(`${insecureUrl}/api/v1/nodes/${name}/proxy/healthz`)).text();
}

test('the node of a cluster shows a renewed certificate without a restart', limit, async (context) => {
  const directory = await directoryFor(context);
  // The pairs are made so long ago that two more days make them due, which end before today: new ones are good at once.
  const start = Date.now() - 3 * day;
  const past = await startIn(directory, { clock: new SteppedClock(start - 274 * day) });
  await past.close();
  const clock = new SteppedClock(start);
  const cluster = await startIn(directory, { clock });
  context.after(() => cluster.close());
  const port = await nodePort(cluster);
  const before = await shownBy(port);
  assert.equal(await nodeHealth(cluster), 'ok');
  clock.step(2 * day);
  let after = before;
  // Each look is a round trip, which gives the renewal time to get there.
  while (after === before) after = await shownBy(port);
  assert.equal(await nodeHealth(cluster), 'ok');
});

describe('a node that joins a cluster over HTTP', limit, () => {
  async function optionsFor(context: TestContext, cluster: Cluster, own: string): Promise<ProcessNodeOptions> {
    const [clock, ids, logger] = [systemClock, randomIds, silentLogger];
    const client = new HttpClient({ access: cluster.admin, clock, ids });
    context.after(() => client.close());
    return {
      client,
      clock,
      ids,
      logger,
      name: own,
      directory: await directoryFor(context),
      address: '127.0.0.1',
      port: 0,
      keepPair: (address) => keepOwnNodePair(own, [address], { store: memoryPairStore(), clock, logger }),
      authority: () => cluster.admin.authority,
      stopsPods: true,
    };
  }

  test('is refused a name that another node of the machine has, and leaves nothing behind', async (context) => {
    const cluster = await startIn(await directoryFor(context), {});
    context.after(() => cluster.close());
    const options = await optionsFor(context, cluster, name);
    const port = await nodePort(cluster);
    await assert.rejects(startProcessNode(options), new RegExp(`joined the cluster as node ${name} already`));
    assert.equal(await nodePort(cluster), port);
    const second = await startProcessNode({ ...options, name: 'second', maxPods: 3 });
    const node = (await (await fetch(`${cluster.insecureUrl}/api/v1/nodes/second`)).json()) as Node;
    assert.equal(node.status.capacity?.pods, '3');
    await second.close();
  });

  test('lets nobody in but the API server', async (context) => {
    const cluster = await startIn(await directoryFor(context), { nodes: { count: 0, runtime: 'process' } });
    context.after(() => cluster.close());
    const node = await startProcessNode(await optionsFor(context, cluster, name));
    context.after(() => node.close());
    assert.equal(await nodeHealth(cluster), 'ok');
    const { certificate: cert, key } = cluster.admin;
    const asAdmin = new Promise<string>((resolve, reject) => {
      const options = { host: '127.0.0.1', cert, key, rejectUnauthorized: false };
      void nodePort(cluster).then((port) => {
        const socket = connect({ ...options, port }, () => socket.write('GET /pods HTTP/1.1\r\nHost: x\r\n\r\n'));
        socket.once('data', (data) => resolve(String(data)));
        socket.on('error', reject);
        socket.on('data', () => socket.destroy());
      });
    });
    assert.match(await asAdmin, /^HTTP\/1\.1 403 /);
  });

  test('gives up waiting for a server when it is told to', async (context) => {
    const cluster = await startIn(await directoryFor(context), { nodes: { count: 0, runtime: 'process' } });
    const stop = new AbortController();
    const logger = { ...silentLogger, warn: () => stop.abort('enough') };
    const options = { ...(await optionsFor(context, cluster, name)), logger, signal: stop.signal };
    await cluster.close();
    await assert.rejects(startProcessNode(options), (error) => error === 'enough');
  });
});
