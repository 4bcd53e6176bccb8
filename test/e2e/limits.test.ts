import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Event } from '../../src/kinds/core/event.ts';
import type { Pod } from '../../src/kinds/core/pod.ts';
import { until } from '../../src/node/testing/until.ts';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { openKubectlCluster, type KubectlCluster } from './kubectl-cluster.ts';

const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : false;
const limit = { timeout: 60_000 };

let cluster: KubectlCluster;
before(async () => {
  if (!('path' in tool)) return;
  cluster = await openKubectlCluster(tool.path, { controllers: true, nodes: { count: 1, runtime: 'process' } });
}, limit);
after(() => cluster?.close());

async function create(name: string, script: string, more: object): Promise<void> {
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', script], ...more };
  const spec = { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [container] };
  await cluster.succeed(['create', '-f', '-'], { kind: 'Pod', apiVersion: 'v1', metadata: { name }, spec });
}

/** The pod, once this is so. */
async function reaches(name: string, isSo: (pod: Pod) => boolean): Promise<Pod> {
  let pod!: Pod;
  await until(async () => {
    pod = JSON.parse(await cluster.succeed(['get', 'pod', name, '-o', 'json'])) as Pod;
    return isSo(pod);
  });
  return pod;
}

async function eventsOf(name: string): Promise<string[]> {
  const selector = `--field-selector=involvedObject.name=${name}`;
  const { items } = JSON.parse(await cluster.succeed(['get', 'events', selector, '-o', 'json'])) as { items: Event[] };
  return items.map(({ reason, message }) => `${reason}: ${message}`);
}

describe('what pods may not do', { skip, ...limit }, () => {
  test('whoever uses more memory than the limit is killed for it, or told that it is not enforced', async () => {
    const script = 'exec dd if=/dev/zero of=/dev/null bs=100M count=1';
    await create('hungry', script, { resources: { limits: { memory: '20Mi' } } });
    const { status } = await reaches('hungry', (pod) => ['Failed', 'Succeeded'].includes(pod.status.phase ?? ''));
    const { exitCode, reason } = status.containerStatuses?.[0]?.state?.terminated ?? {};
    if (reason === 'OOMKilled') {
      assert.deepEqual([exitCode, status.phase], [137, 'Failed']);
      assert.match(await cluster.succeed(['get', 'pod', 'hungry', '--no-headers']), / OOMKilled /);
    } else {
      assert.match((await eventsOf('hungry')).join('\n'), /NotEnforced: its memory limit is not enforced/);
    }
  });

  test('who must not be root is not', async () => {
    await create('careful', 'id -u', { securityContext: { runAsNonRoot: true } });
    if (process.getuid?.() !== 0) {
      await reaches('careful', ({ status }) => status.phase === 'Succeeded');
      return;
    }
    const { status } = await reaches('careful', (pod) => {
      return pod.status.containerStatuses?.[0]?.state?.waiting?.reason === 'VerifyNonRootError';
    });
    assert.equal(status.phase, 'Pending');
    assert.match((await eventsOf('careful')).join('\n'), /Failed: .*runAsNonRoot forbids/);
    await create('proper', 'id -u', { securityContext: { runAsNonRoot: true, runAsUser: 12345 } });
    await reaches('proper', (pod) => pod.status.phase === 'Succeeded');
    assert.equal(await cluster.succeed(['logs', 'proper']), '12345\n');
  });
});
