import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Pod } from '../kinds/core/pod.ts';
import { ClusterState } from './cluster-state.ts';
import { needsOf } from './pod-needs.ts';
import { testNode, testPod, type TestPod } from './testing/objects.ts';

function podOn(node: string, name: string, parts: TestPod = {}): Pod {
  return testPod(name, { ...parts, nodeName: node });
}

test('an assumed pod counts at once, and once only when the watch tells of it', () => {
  const state = new ClusterState(() => []);
  state.setNode(testNode('n1'));
  const [n1] = state.nodes;
  state.assume(needsOf(testPod('web', { requests: { cpu: '1' } })), n1!);
  assert.deepEqual([n1!.pods, n1!.cpu], [1, 1000]);
  assert.equal(state.setPod(podOn('n1', 'web', { requests: { cpu: '1' } })), false);
  assert.deepEqual([n1!.pods, n1!.cpu], [1, 1000]);
});

test('a pod that the watch has told of is not forgotten', () => {
  const state = new ClusterState(() => []);
  state.setNode(testNode('n1'));
  const pod = needsOf(testPod('web'));
  state.assume(pod, state.nodes[0]!);
  state.setPod(podOn('n1', 'web'));
  assert.equal(state.forget(pod), false);
  assert.equal(state.nodes[0]!.pods, 1);
});

test('an assumed pod that turns up on another node counts only there', () => {
  const state = new ClusterState(() => []);
  state.setNode(testNode('n1'));
  state.setNode(testNode('n2'));
  const [n2, n1] = state.nodes;
  state.assume(needsOf(testPod('web')), n1!);
  assert.equal(state.setPod(podOn('n2', 'web')), true);
  assert.deepEqual([n1!.pods, n2!.pods], [0, 1]);
});

test('only the pod that was assumed is forgotten, not another of its name', () => {
  const state = new ClusterState(() => []);
  state.setNode(testNode('n1'));
  const old = needsOf(testPod('web', { metadata: { uid: 'old' } }));
  state.assume(old, state.nodes[0]!);
  state.removePod(old.key);
  state.assume(needsOf(testPod('web', { metadata: { uid: 'new' } })), state.nodes[0]!);
  assert.equal(state.forget(old), false);
  assert.equal(state.nodes[0]!.pods, 1);
});

test('a pod that asks for more than numbers can tell leaves no wrong sum behind', () => {
  const state = new ClusterState(() => []);
  state.setNode(testNode('n1'));
  const [n1] = state.nodes;
  state.setPod(podOn('n1', 'web', { requests: { cpu: '1', memory: '1' } }));
  state.setPod(podOn('n1', 'huge', { requests: { cpu: '8E', memory: '8E' } }));
  state.removePod('one/huge');
  assert.deepEqual([n1!.cpu, n1!.memory], [1000, 1]);
});

test('pods on a node that is not there count when it comes', () => {
  const state = new ClusterState(() => []);
  state.setPod(podOn('n1', 'web', { requests: { cpu: '1' } }));
  assert.deepEqual(state.nodes, []);
  state.setNode(testNode('n1'));
  assert.deepEqual(state.nodes.map(({ cpu }) => cpu), [1000]); // prettier-ignore
  state.removeNode('n1');
  assert.deepEqual(state.nodes, []);
  state.setNode(testNode('n1'));
  assert.deepEqual(state.nodes.map(({ cpu }) => cpu), [1000]); // prettier-ignore
});

test('a node that only says that it is still there has not changed', () => {
  const state = new ClusterState(() => []);
  const node = testNode('n1');
  assert.equal(state.setNode(node), true);
  const beat = structuredClone(node);
  for (const condition of beat.status.conditions ?? []) condition.lastHeartbeatTime = '2030-01-01T00:00:10Z';
  assert.equal(state.setNode(beat), false);
  assert.equal(state.setNode(testNode('n1', { unschedulable: true })), true);
});

test('whatever comes and goes, each node has the sums of the pods on it', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd');
  const nodes = fc.constantFrom('n1', 'n2', 'n3');
  const step = fc.oneof(
    fc.record({ does: fc.constant('set' as const), name: names, node: nodes, uid: fc.constantFrom('1', '2') }),
    fc.record({ does: fc.constant('assume' as const), name: names, node: nodes, uid: fc.constantFrom('1', '2') }),
    fc.record({ does: fc.constant('forget' as const), name: names, node: nodes, uid: fc.constantFrom('1', '2') }),
    fc.record({ does: fc.constant('remove' as const), name: names, node: nodes, uid: fc.constant('') }),
  );
  const cpuOf = (name: string): string => `${100 * (1 + 'abcd'.indexOf(name))}m`;
  const property = fc.property(fc.array(step), (steps) => {
    const state = new ClusterState(({ length }) => (length > 0 ? ['one/all'] : []));
    for (const name of ['n1', 'n2', 'n3']) state.setNode(testNode(name));
    const model = new Map<string, { node: string; uid: string; isAssumed: boolean }>();
    for (const { does, name, node, uid } of steps) {
      const parts = { requests: { cpu: cpuOf(name) }, metadata: { uid } };
      const known = model.get(name);
      if (does === 'set') {
        state.setPod(podOn(node, name, parts));
        model.set(name, { node, uid, isAssumed: false });
      } else if (does === 'assume') {
        state.assume(
          needsOf(testPod(name, parts)),
          state.nodes.find((state) => state.name === node)!,
        );
        model.set(name, { node, uid, isAssumed: true });
      } else if (does === 'forget') {
        state.forget(needsOf(testPod(name, parts)));
        if (known?.isAssumed && known.uid === uid) model.delete(name);
      } else {
        state.removePod(`one/${name}`);
        model.delete(name);
      }
    }
    const count = state.spreading.counterFor(needsOf(testPod('new')));
    for (const node of state.nodes) {
      const on = [...model].filter(([, placed]) => placed.node === node.name);
      assert.equal(node.pods, on.length);
      assert.equal(node.cpu, on.reduce((sum, [name]) => sum + needsOf(testPod(name, { requests: { cpu: cpuOf(name) } })).cpu, 0)); // prettier-ignore
      assert.equal(count?.(node) ?? 0, on.length);
    }
  });
  fc.assert(property);
});

test('pods are counted for services that come later, and no longer for those that go', () => {
  let services: readonly string[] = [];
  const state = new ClusterState(() => services);
  state.setNode(testNode('n1'));
  state.setPod(podOn('n1', 'a'));
  services = ['one/web'];
  assert.equal(state.spreading.counterFor(needsOf(testPod('b'))), undefined);
  state.regroup('one');
  assert.equal(state.spreading.counterFor(needsOf(testPod('b')))?.(state.nodes[0]!), 1);
  services = [];
  state.regroup('one');
  services = ['one/web'];
  assert.equal(state.spreading.counterFor(needsOf(testPod('b'))), undefined);
});
