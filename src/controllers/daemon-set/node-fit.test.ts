import assert from 'node:assert/strict';
import { test } from 'node:test';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import { isMeantFor, isOtherFit, obstacleTo } from './node-fit.ts';

function nodeWith(status: Partial<Node['status']>, labels?: Record<string, string>): Node {
  const { example } = nodeKind;
  return { ...example, metadata: { name: 'n1', labels }, status: { ...example.status, ...status } };
}

function podWith(requests: Record<string, string>, hostPort?: number, protocol: 'TCP' | 'UDP' = 'TCP'): PodSpec {
  const ports = hostPort === undefined ? [] : [{ containerPort: 1, hostPort, protocol }];
  return { containers: [{ name: 'main', image: 'agent:1', resources: { requests }, ports }] };
}

test('pods are meant for nodes with all labels of their selector, or for the one that is named', () => {
  const node = nodeWith({}, { a: '1', b: '2' });
  assert.ok(isMeantFor({ containers: [] }, node));
  assert.ok(isMeantFor({ containers: [], nodeSelector: { a: '1', b: '2' } }, node));
  assert.ok(!isMeantFor({ containers: [], nodeSelector: { a: '1', c: '3' } }, node));
  assert.ok(isMeantFor({ containers: [], nodeName: 'n1' }, node));
  assert.ok(!isMeantFor({ containers: [], nodeName: 'n2' }, node));
});

test('what all pods ask for together must be there', () => {
  const node = nodeWith({ allocatable: { cpu: '1', memory: '1Gi' } });
  const half = podWith({ cpu: '500m', memory: '512Mi' });
  assert.equal(obstacleTo(half, node, [half]), undefined);
  assert.match(obstacleTo(podWith({ cpu: '501m' }), node, [half]) ?? '', /CPU/);
  assert.match(obstacleTo(podWith({ memory: '513Mi' }), node, [half]) ?? '', /memory/);
  assert.equal(obstacleTo(podWith({ cpu: '99' }), nodeWith({ allocatable: {} }), []), undefined);
});

test('a host port is taken by the same port of the same protocol', () => {
  const node = nodeWith({});
  assert.match(obstacleTo(podWith({}, 80), node, [podWith({}, 80)]) ?? '', /80\/TCP/);
  assert.equal(obstacleTo(podWith({}, 80), node, [podWith({}, 80, 'UDP'), podWith({}, 81)]), undefined);
});

test('a node that only says that it is still there is no other', () => {
  const conditions = (time: string, outOfDisk = 'False') => [
    { type: 'Ready', status: 'True', lastHeartbeatTime: time },
    { type: 'OutOfDisk', status: outOfDisk, lastHeartbeatTime: time },
  ];
  const before = nodeWith({ conditions: conditions('2030-01-01T00:00:00Z') });
  assert.ok(!isOtherFit(before, nodeWith({ conditions: conditions('2030-01-01T00:00:10Z') })));
  assert.ok(isOtherFit(before, nodeWith({ conditions: conditions('2030-01-01T00:00:10Z', 'True') })));
  assert.ok(isOtherFit(before, nodeWith({}, { a: '1' })));
  assert.ok(isOtherFit(before, nodeWith({ capacity: { cpu: '8' } })));
});
