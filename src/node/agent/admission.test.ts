import assert from 'node:assert/strict';
import { test } from 'node:test';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import { openAgent } from '../testing/agent-fixture.ts';
import { refusalOf } from './admission.ts';

const node: Node = {
  ...nodeKind.example,
  metadata: { name: 'n1', labels: { disk: 'fast' } },
  status: { ...nodeKind.example.status, allocatable: { cpu: '2', memory: '1Gi', pods: '3' } },
};

function podWith(
  spec: Partial<PodSpec> & { requests?: Record<string, string>; hostPort?: number; hostIP?: string },
): Pod {
  const { requests, hostPort, hostIP, ...rest } = spec;
  const ports = hostPort === undefined ? [] : [{ containerPort: 80, hostPort, hostIP, protocol: 'TCP' as const }];
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p', namespace: 'one' },
    spec: { containers: [{ name: 'a', image: 'x', ports, resources: { requests } }], ...rest },
    status: {},
  };
}

const reason = (pod: Pod, ...others: Pod[]): string | undefined => refusalOf(pod, node, others)?.reason;

test('a pod that fits is let in', () => {
  const other = podWith({ requests: { cpu: '1500m', memory: '512Mi' }, hostPort: 80 });
  assert.equal(reason(podWith({ requests: { cpu: '500m', memory: '512Mi' }, hostPort: 81 }), other), undefined);
});

test('what is asked for must be there beside what others asked for', () => {
  const other = podWith({ requests: { cpu: '1500m', memory: '512Mi' } });
  assert.equal(reason(podWith({ requests: { cpu: '501m' } }), other), 'OutOfCPU');
  assert.equal(reason(podWith({ requests: { memory: '513Mi' } }), other), 'OutOfMemory');
  assert.equal(reason(podWith({ requests: { cpu: '3' } })), 'OutOfCPU');
  const many = podWith({});
  assert.equal(reason(podWith({}), many, many, many), 'OutOfPodCount');
});

test('a port of the node belongs to one pod', () => {
  const other = podWith({ hostPort: 80, hostIP: '10.0.0.1' });
  assert.equal(reason(podWith({ hostPort: 80 }), other), 'PodFitsHostPorts');
  assert.equal(reason(podWith({ hostPort: 80, hostIP: '10.0.0.1' }), other), 'PodFitsHostPorts');
  assert.equal(reason(podWith({ hostPort: 80, hostIP: '0.0.0.0' }), other), 'PodFitsHostPorts');
  assert.equal(reason(podWith({ hostPort: 80, hostIP: '10.0.0.2' }), other), undefined);
});

test('the labels of the node must be those asked for', () => {
  assert.equal(reason(podWith({ nodeSelector: { disk: 'fast' } })), undefined);
  assert.equal(reason(podWith({ nodeSelector: { disk: 'slow' } })), 'MatchNodeSelector');
});

test('a pod that does not fit has failed, with the reason, and leaves its room to others', async () => {
  const capacity = { cpu: '1', memory: '1Gi', pods: '2' };
  const fixture = await openAgent({ node: { name: 'n1', addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], capacity } }); // prettier-ignore
  try {
    const resources = { requests: { cpu: '600m' } };
    await fixture.createPod('first', {}, { resources });
    await fixture.createPod('second', {}, { resources });
    const { status } = await fixture.getPod('second');
    assert.deepEqual([status.phase, status.reason], ['Failed', 'OutOfCPU']);
    assert.match(status.message ?? '', /CPU/);
    assert.equal(fixture.machine.containers.length, 1);
    assert.ok((await fixture.eventsOf('second')).includes('Warning OutOfCPU'));
    await fixture.createPod('third', {}, { resources: { requests: { cpu: '400m' } } });
    assert.equal((await fixture.getPod('third')).status.phase, 'Running');
    await fixture.restart();
    assert.equal((await fixture.getPod('third')).status.phase, 'Running');
    assert.equal((await fixture.getPod('second')).status.phase, 'Failed');
  } finally {
    await fixture.close();
  }
});
