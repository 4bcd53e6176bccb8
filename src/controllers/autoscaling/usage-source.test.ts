import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { InProcessClient } from '../../client/in-process-client.ts';
import { openClient, type ClientFixture } from '../../client/testing/client-fixture.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { cpuUsageAnnotation } from '../../kinds/core/pod/usage-annotations.ts';
import { serviceUnavailable } from '../../kinds/meta/api-error.ts';
import { podMetrics, type PodMetrics } from '../../kinds/metrics/pod-metrics.ts';
import type { ComputedKind } from '../../registry/computed-kind.ts';
import { MeasurementError } from './measurement-error.ts';
import { measuredUsage } from './usage-source.ts';

let fixture: ClientFixture;
beforeEach(async () => (fixture = await openClient()));
afterEach(() => fixture.close());

const selection = { namespace: 'one', labels: 'app=web' };

function metrics(name: string, ...cpus: string[]): PodMetrics {
  const containers = cpus.map((cpu, i) => ({ name: `c${i}`, usage: { cpu, memory: '1Mi' } }));
  const metadata = { name, namespace: 'one', labels: { app: 'web' } };
  return { ...podMetrics.example, metadata, containers };
}

async function create(name: string, annotations?: Record<string, string>): Promise<Pod> {
  const spec = { containers: [{ name: 'main', image: 'web' }] };
  const metadata = { name, namespace: 'one', labels: { app: 'web' }, annotations };
  return fixture.client.create(podKind, { kind: 'Pod', apiVersion: 'v1', metadata, spec, status: {} });
}

/** A client of a server that tells this much about usage. */
function clientOf(read: ComputedKind<PodMetrics>['read']): InProcessClient {
  const { registry } = fixture;
  return new InProcessClient({
    registry,
    user: { name: 't', groups: [] },
    computedKinds: [{ kind: podMetrics, read }],
  });
}

test('what the server has measured counts, summed over containers, and annotations where it has not', async () => {
  const pods = [await create('a', { [cpuUsageAnnotation]: '1' }), await create('b', { [cpuUsageAnnotation]: '7m' })];
  pods.push(await create('c'));
  const client = clientOf(async () => [metrics('a', '100m', '1500001n'), metrics('other', '1')]);
  const usage = await measuredUsage(client).cpuOf(pods, selection);
  assert.deepEqual([...usage], [[pods[0]!.metadata.uid, 101.500001], [pods[1]!.metadata.uid, 7]]); // prettier-ignore
});

test('the server is asked about the namespace and the labels of the pods', async () => {
  const asked: string[] = [];
  const client = clientOf(async ({ namespace, labels }) => {
    asked.push(`${namespace} ${labels.toString()}`);
    return [];
  });
  assert.equal((await measuredUsage(client).cpuOf([], selection)).size, 0);
  assert.deepEqual(asked, ['one app=web']);
});

test('a server that tells no usage leaves what annotations say', async () => {
  const pod = await create('a', { [cpuUsageAnnotation]: '250m' });
  const usage = await measuredUsage(fixture.client).cpuOf([pod], selection);
  assert.deepEqual([...usage.values()], [250]);
});

test('a server that cannot say it now is told from one that never does', async () => {
  const client = clientOf(() => Promise.reject(serviceUnavailable('later')));
  await assert.rejects(measuredUsage(client).cpuOf([], selection), (error: Error) => {
    assert.ok(error instanceof MeasurementError);
    assert.match(error.message, /later/);
    return true;
  });
});
