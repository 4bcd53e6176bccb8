import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock, type Clock, type Timer } from '../src/base/clock.ts';
import { randomIds } from '../src/base/ids.ts';
import { HttpClient } from '../src/client/http-client.ts';
import { startCluster } from '../src/cluster.ts';
import { deployment as deploymentKind } from '../src/kinds/extensions/deployment.ts';

const cycles = 20;
/** A cluster that is held on to takes several megabytes. */
const mostGrowthBytes = 4 * 1024 ** 2;

/** The machine's time, which knows its timers: those of a clock keep no process alive, so that nobody else would miss them. */
class CountingClock implements Clock {
  readonly pending = new Set<Timer>();

  now(): number {
    return systemClock.now();
  }

  ticks(): number {
    return systemClock.ticks();
  }

  after(ms: number, callback: () => void): Timer {
    const fire = (): void => {
      this.pending.delete(timer);
      callback();
    };
    const inner = systemClock.after(ms, fire);
    const timer: Timer = {
      cancel: () => {
        this.pending.delete(timer);
        inner.cancel();
      },
    };
    this.pending.add(timer);
    return timer;
  }
}

/** Starts a whole cluster, lets it run a deployment, follows that over TLS, and closes everything. */
async function useCluster(clock: Clock): Promise<void> {
  const nodes = { count: 5, runtime: 'simulated' } as const;
  const cluster = await startCluster({ clock, controllers: true, nodes, insecurePort: 0 });
  const client = new HttpClient({ access: cluster.admin, clock, ids: randomIds });
  try {
    await runDeployment(client, 20);
  } finally {
    client.close();
    await cluster.close();
  }
}

async function runDeployment(client: HttpClient, replicas: number): Promise<void> {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'image' }] } };
  const { metadata } = await client.create(deploymentKind, {
    kind: 'Deployment',
    apiVersion: 'extensions/v1beta1',
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas, template },
  });
  const options = { namespace: 'default', resourceVersion: metadata.resourceVersion ?? '' };
  await new Promise<void>((resolve, reject) => {
    const watching = client.watch(deploymentKind, options, {
      onEvent: ({ object }) => {
        if (object.status?.availableReplicas === replicas) resolve();
      },
      onEnd: (error) => reject(error ?? new Error('the watch ended')),
    });
    watching.catch(reject);
  });
}

/** What the process waits for: sockets, files, timers. What was there before counts as nothing. */
function openResources(before: readonly string[]): string[] {
  const left = process.getActiveResourcesInfo();
  for (const resource of before) {
    const at = left.indexOf(resource);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

/** Sockets that were closed go in one of the next turns. */
async function untilClosed(before: readonly string[]): Promise<void> {
  for (let turn = 0; turn < 1000 && openResources(before).length > 0; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

test('clusters that are started and closed leave no timer, socket, listener or memory behind', async () => {
  const clock = new CountingClock();
  const resources = process.getActiveResourcesInfo();
  let listeners: unknown;
  let usedHalfway = 0;
  for (let cycle = 1; cycle <= cycles; cycle++) {
    await useCluster(clock);
    await untilClosed(resources);
    assert.deepEqual(openResources(resources), []);
    assert.equal(clock.pending.size, 0, 'timers that are still to fire');
    const now = process.eventNames().map((name) => [name, process.listenerCount(name)]);
    // The runtime itself listens for some things from their first use on.
    if (cycle === 1) listeners = now;
    assert.deepEqual(now, listeners);
    if (cycle === cycles / 2) usedHalfway = usedBytes();
  }
  const growth = usedBytes() - usedHalfway;
  assert.ok(growth < mostGrowthBytes, `${cycles / 2} more clusters left ${growth} bytes`);
});
