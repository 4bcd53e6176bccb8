import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { affinityAnnotation } from '../../kinds/core/pod/affinity-annotation.ts';
import type { Node } from '../../kinds/core/node.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { taintsAnnotation, tolerationsAnnotation } from '../taint.ts';
import { testNode, testPod } from '../testing/objects.ts';
import { clusterOf, ratesOf } from '../testing/placed.ts';
import { balancedAllocation } from './balanced-allocation.ts';
import { leastRequested } from './least-requested.ts';
import { preferredAffinity } from './preferred-affinity.ts';
import { scores } from './scores.ts';
import { spread } from './spread.ts';
import { untoleratedTaints } from './untolerated-taints.ts';

const allocatable = { cpu: '4', memory: '8Gi', pods: '110' };

it('every score has a name of its own and rates equal nodes equally', () => {
  assert.equal(new Set(scores.map(({ name }) => name)).size, scores.length);
  const state = clusterOf([{ node: testNode('n1') }, { node: testNode('n2') }]);
  for (const score of scores) {
    const { n1, n2 } = ratesOf(score, testPod('web'), state);
    assert.equal(n1, n2, score.name);
  }
});

describe('least requested', () => {
  it('rates by what is left of processor time and memory with the pod there', () => {
    const state = clusterOf([
      { node: testNode('empty', { allocatable }) },
      { node: testNode('half', { allocatable }), pods: [testPod('p', { requests: { cpu: '2', memory: '4Gi' } })] },
      { node: testNode('full', { allocatable }), pods: [testPod('q', { requests: { cpu: '9', memory: '9Gi' } })] },
    ]);
    const pod = testPod('web', { requests: { cpu: '1', memory: '2Gi' } });
    assert.deepEqual(ratesOf(leastRequested, pod, state), { empty: 7, half: 2, full: 0 });
  });

  it('takes a pod that asks for nothing for one that uses a little', () => {
    const state = clusterOf([
      { node: testNode('empty', { allocatable }) },
      { node: testNode('four', { allocatable }), pods: ['p', 'q', 'r', 's'].map((name) => testPod(name)) },
    ]);
    // 100m of 4 and 200Mi of 8Gi, once and five times.
    assert.deepEqual(ratesOf(leastRequested, testPod('web'), state), { empty: 9, four: 8 });
  });

  it('gives a node without anything nothing', () => {
    const state = clusterOf([{ node: testNode('none', { allocatable: {} }) }]);
    assert.deepEqual(ratesOf(leastRequested, testPod('web'), state), { none: 0 });
  });
});

describe('balanced allocation', () => {
  it('rates by how alike the used shares are', () => {
    const pod = testPod('web', { requests: { cpu: '1', memory: '2Gi' } });
    const state = clusterOf([
      { node: testNode('alike', { allocatable }) },
      { node: testNode('skewed', { allocatable }), pods: [testPod('p', { requests: { cpu: '2', memory: '0' } })] },
      { node: testNode('over', { allocatable }), pods: [testPod('q', { requests: { cpu: '4', memory: '0' } })] },
      { node: testNode('none', { allocatable: {} }) },
    ]);
    assert.deepEqual(ratesOf(balancedAllocation, pod, state), { alike: 10, skewed: 5, over: 0, none: 0 });
  });
});

describe('spread', () => {
  const owned = (name: string, owner: string): Pod =>
    testPod(name, {
      metadata: {
        ownerReferences: [
          { apiVersion: 'v1', kind: 'ReplicationController', name: owner, uid: owner, controller: true },
        ],
      },
    });

  it('prefers nodes with fewer pods of the same controller', () => {
    const state = clusterOf([
      { node: testNode('n0'), pods: [owned('x', 'other'), testPod('y')] },
      { node: testNode('n1'), pods: [owned('a', 'rc')] },
      { node: testNode('n2'), pods: [owned('b', 'rc'), owned('c', 'rc')] },
    ]);
    assert.deepEqual(ratesOf(spread, owned('web', 'rc'), state), { n0: 10, n1: 5, n2: 0 });
  });

  it('prefers nodes with fewer pods of the same services', () => {
    const state = clusterOf(
      [
        { node: testNode('n0') },
        { node: testNode('n1'), pods: [testPod('a', { metadata: { labels: { app: 'web' } } })] },
        { node: testNode('n2'), pods: [testPod('b', { metadata: { labels: { app: 'db' } } })] },
      ],
      (_namespace, labels) => (labels['app'] === 'web' ? ['one/web'] : []),
    );
    const pod = testPod('new', { metadata: { labels: { app: 'web' } } });
    assert.deepEqual(ratesOf(spread, pod, state), { n0: 10, n1: 0, n2: 10 });
  });

  it('makes no difference for the first pod of its sort, and for pods of no sort', () => {
    const state = clusterOf([{ node: testNode('n1'), pods: [owned('a', 'rc')] }, { node: testNode('n2') }]);
    assert.deepEqual(ratesOf(spread, owned('web', 'new'), state), { n1: 0, n2: 0 });
    assert.deepEqual(ratesOf(spread, testPod('web'), state), { n1: 0, n2: 0 });
  });

  it('counts pods no longer that are gone', () => {
    const state = clusterOf([{ node: testNode('n1'), pods: [owned('a', 'rc')] }, { node: testNode('n2'), pods: [owned('b', 'rc')] }]); // prettier-ignore
    assert.equal(state.removePod('one/a'), true);
    assert.deepEqual(ratesOf(spread, owned('web', 'rc'), state), { n1: 10, n2: 0 });
  });

  it('looks at zones more than at nodes', () => {
    const inZone = (name: string, zone: string): Node =>
      testNode(name, { metadata: { labels: { 'failure-domain.beta.kubernetes.io/zone': zone } } });
    const state = clusterOf([
      { node: inZone('a1', 'a'), pods: [owned('p', 'rc'), owned('q', 'rc')] },
      { node: inZone('a2', 'a') },
      { node: inZone('b1', 'b'), pods: [owned('r', 'rc')] },
    ]);
    const { a1, a2, b1 } = ratesOf(spread, owned('web', 'rc'), state);
    assert.deepEqual({ a1, a2, b1 }, { a1: 0, a2: 3, b1: 5 });
  });
});

describe('preferred affinity', () => {
  it('adds up the weights of the preferences that hold, beside the best node', () => {
    const prefer = (weight: number, key: string): object => ({
      weight,
      preference: { matchExpressions: [{ key, operator: 'Exists' }] },
    });
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [prefer(30, 'fast'), prefer(10, 'near')] };
    const annotations = { [affinityAnnotation]: JSON.stringify({ nodeAffinity: preferred }) };
    const labelled = (name: string, ...keys: string[]): Node =>
      testNode(name, { metadata: { labels: Object.fromEntries(keys.map((key) => [key, ''])) } });
    const state = clusterOf([
      { node: labelled('both', 'fast', 'near') },
      { node: labelled('near', 'near') },
      { node: labelled('neither') },
    ]);
    const pod = testPod('web', { metadata: { annotations } });
    assert.deepEqual(ratesOf(preferredAffinity, pod, state), { both: 10, near: 2, neither: 0 });
  });
});

describe('untolerated taints', () => {
  it('count against a node where they are soft and not tolerated', () => {
    const soft = (key: string): object => ({ key, effect: 'PreferNoSchedule' });
    const tainted = (name: string, ...taints: object[]): Node =>
      testNode(name, { metadata: { annotations: { [taintsAnnotation]: JSON.stringify(taints) } } });
    const state = clusterOf([
      { node: tainted('two', soft('a'), soft('b')) },
      { node: tainted('one', soft('a'), soft('c')) },
      { node: tainted('none') },
    ]);
    const annotations = { [tolerationsAnnotation]: JSON.stringify([{ key: 'c', operator: 'Exists' }]) };
    const pod = testPod('web', { metadata: { annotations } });
    assert.deepEqual(ratesOf(untoleratedTaints, pod, state), { two: 0, one: 5, none: 10 });
  });
});
