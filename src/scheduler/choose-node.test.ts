import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainRefusals, NodeChooser } from './choose-node.ts';
import { needsOf } from './pod-needs.ts';
import { testNode, testPod } from './testing/objects.ts';
import { clusterOf } from './testing/placed.ts';

test('nodes that suit equally well are taken in turn', () => {
  const chooser = new NodeChooser(clusterOf(['n1', 'n2', 'n3'].map((name) => ({ node: testNode(name) }))));
  const chosen = Array.from({ length: 6 }, () => chooser.choose(needsOf(testPod('web'))).node?.name);
  assert.deepEqual(chosen, ['n3', 'n2', 'n1', 'n3', 'n2', 'n1']);
});

test('nodes that differ by less than a tenth suit equally well', () => {
  const busier = { node: testNode('n2'), pods: [testPod('p', { requests: { cpu: '100m', memory: '200Mi' } })] };
  const chooser = new NodeChooser(clusterOf([{ node: testNode('n1') }, busier]));
  const chosen = Array.from({ length: 2 }, () => chooser.choose(needsOf(testPod('web'))).node?.name);
  assert.deepEqual(chosen, ['n2', 'n1']);
});

test('the node that suits better is taken every time', () => {
  const busy = { node: testNode('busy'), pods: [testPod('p', { requests: { cpu: '2', memory: '4Gi' } })] };
  const chooser = new NodeChooser(clusterOf([busy, { node: testNode('idle') }]));
  const chosen = Array.from({ length: 3 }, () => chooser.choose(needsOf(testPod('web'))).node?.name);
  assert.deepEqual(chosen, ['idle', 'idle', 'idle']);
});

test('refusals are counted by reason, the most frequent first', () => {
  const small = { cpu: '1', memory: '8Gi', pods: '110' };
  const chooser = new NodeChooser(
    clusterOf([
      { node: testNode('n1', { unschedulable: true }) },
      { node: testNode('n2', { allocatable: small }) },
      { node: testNode('n3', { allocatable: small }) },
    ]),
  );
  const choice = chooser.choose(needsOf(testPod('web', { requests: { cpu: '2' } })));
  assert.ok(choice.node === undefined);
  assert.equal(
    explainRefusals(choice.nodes, choice.refusals),
    '0 of 3 nodes can take the pod: 2 with insufficient cpu, 1 marked unschedulable',
  );
});

test('that there are no nodes is said so', () => assert.equal(explainRefusals(0, new Map()), 'there are no nodes'));
