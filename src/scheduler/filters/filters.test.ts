import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { affinityAnnotation } from '../../kinds/core/pod/affinity-annotation.ts';
import type { Node } from '../../kinds/core/node.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Volume } from '../../kinds/core/pod/volume.ts';
import { taintsAnnotation, tolerationsAnnotation, type Toleration } from '../taint.ts';
import { testNode, testPod } from '../testing/objects.ts';
import { refusalOf } from '../testing/placed.ts';
import { condition } from './condition.ts';
import { disks } from './disks.ts';
import { filters } from './filters.ts';
import { hostPorts } from './host-ports.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeSelector } from './node-selector.ts';
import { podCount } from './pod-count.ts';
import { resources } from './resources.ts';
import { taints } from './taints.ts';
import { unschedulable } from './unschedulable.ts';

it('every filter has a name of its own and lets a plain pod onto a plain node', () => {
  assert.equal(new Set(filters.map(({ name }) => name)).size, filters.length);
  for (const filter of filters) {
    assert.equal(refusalOf(filter, testPod('web'), { node: testNode('n1') }), undefined, filter.name);
  }
});

describe('unschedulable', () => {
  it('keeps pods off nodes that are marked so', () => {
    const node = testNode('n1', { unschedulable: true });
    assert.equal(refusalOf(unschedulable, testPod('web'), { node }), 'marked unschedulable');
  });
});

describe('condition', () => {
  const refusal = (conditions: Record<string, string>): string | undefined =>
    refusalOf(condition, testPod('web'), { node: testNode('n1', { conditions }) });

  it('keeps pods off nodes that are not ready', () => {
    assert.equal(refusal({ Ready: 'False' }), 'not ready');
    assert.equal(refusal({ Ready: 'Unknown' }), 'not ready');
    assert.equal(refusal({ Ready: 'True' }), undefined);
  });

  it('keeps pods off nodes whose disk is full, or may be', () => {
    assert.equal(refusal({ Ready: 'True', OutOfDisk: 'True' }), 'out of disk space');
    assert.equal(refusal({ Ready: 'True', OutOfDisk: 'Unknown' }), 'out of disk space');
  });

  it('takes a node that says nothing for one in order', () => assert.equal(refusal({}), undefined));
});

describe('resources', () => {
  const node = testNode('n1', { allocatable: { cpu: '2', memory: '1Gi', pods: '10' } });
  const refusal = (requests: Record<string, string>, ...taken: Record<string, string>[]): string | undefined =>
    refusalOf(resources, testPod('web', { requests }), {
      node,
      pods: taken.map((requests, i) => testPod(`p${i}`, { requests })),
    });

  it('lets a pod have exactly what is left', () => {
    assert.equal(refusal({ cpu: '1500m', memory: '512Mi' }, { cpu: '500m', memory: '512Mi' }), undefined);
  });

  it('keeps a pod off that asks for more', () => {
    assert.equal(refusal({ cpu: '1501m' }, { cpu: '500m' }), 'with insufficient cpu');
    assert.equal(refusal({ memory: '513Mi' }, { memory: '512Mi' }), 'with insufficient memory');
    assert.equal(refusal({ cpu: '3', memory: '3Gi' }), 'with insufficient cpu');
  });

  it('lets a pod that asks for nothing onto a full node', () => {
    assert.equal(refusal({}, { cpu: '2', memory: '1Gi' }), undefined);
  });

  it('does not hold a lack of what a pod does not ask for against it', () => {
    assert.equal(refusal({ memory: '1Mi' }, { cpu: '5' }), undefined);
  });

  it('adds up the containers of a pod', () => {
    const pod = testPod('web', { requests: { cpu: '1' } });
    const [container] = pod.spec.containers;
    pod.spec.containers = [container!, { ...container!, name: 'second' }, { ...container!, name: 'third' }];
    assert.equal(refusalOf(resources, pod, { node }), 'with insufficient cpu');
  });
});

describe('pod count', () => {
  it('keeps a pod off a node that has as many as it takes', () => {
    const node = testNode('n1', { allocatable: { pods: '2' } });
    const pods = [testPod('p1'), testPod('p2')];
    assert.equal(refusalOf(podCount, testPod('web'), { node, pods }), 'with too many pods');
    assert.equal(refusalOf(podCount, testPod('web'), { node, pods: pods.slice(1) }), undefined);
  });

  it('keeps every pod off a node that does not say how many it takes', () => {
    const node = testNode('n1', { allocatable: { cpu: '2' } });
    assert.equal(refusalOf(podCount, testPod('web'), { node }), 'with too many pods');
  });
});

describe('node selector', () => {
  const refusal = (nodeSelectorLabels: Record<string, string>, labels: Record<string, string>): string | undefined =>
    refusalOf(nodeSelector, testPod('web', { nodeSelector: nodeSelectorLabels }), {
      node: testNode('n1', { metadata: { labels } }),
    });

  it('asks for every label with its value', () => {
    assert.equal(refusal({ disk: 'ssd', zone: 'a' }, { disk: 'ssd', zone: 'a', more: 'x' }), undefined);
    assert.equal(refusal({ disk: 'ssd', zone: 'a' }, { disk: 'ssd' }), 'not matching the node selector');
    assert.equal(refusal({ disk: 'ssd' }, { disk: 'hdd' }), 'not matching the node selector');
  });

  it('does not find labels that objects have by nature', () => {
    assert.equal(refusal({ constructor: 'x' }, {}), 'not matching the node selector');
  });
});

describe('node affinity', () => {
  const labelled = testNode('n1', { metadata: { labels: { disk: 'ssd', cores: '8' } } });
  function refusal(...terms: object[]): string | undefined {
    const required = { nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })) };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const annotations = { [affinityAnnotation]: JSON.stringify(affinity) };
    return refusalOf(nodeAffinity, testPod('web', { metadata: { annotations } }), { node: labelled });
  }
  const expression = (key: string, operator: string, ...values: string[]): object => ({ key, operator, values });
  const refused = 'not matching the node affinity';

  const holding = [
    expression('disk', 'In', 'hdd', 'ssd'),
    expression('disk', 'NotIn', 'hdd'),
    expression('absent', 'NotIn', 'hdd'),
    expression('disk', 'Exists'),
    expression('absent', 'DoesNotExist'),
    expression('cores', 'Gt', '4'),
    expression('cores', 'Lt', '16'),
  ];
  for (const each of holding) it(`${JSON.stringify(each)} holds`, () => assert.equal(refusal([each]), undefined));

  const failing = [
    expression('disk', 'In', 'hdd'),
    expression('absent', 'In', 'hdd'),
    expression('disk', 'NotIn', 'ssd'),
    expression('absent', 'Exists'),
    expression('disk', 'DoesNotExist'),
    expression('cores', 'Gt', '8'),
    expression('cores', 'Lt', '8'),
    expression('disk', 'Gt', '4'),
    expression('cores', 'Gt', 'four'),
    expression('absent', 'Lt', '4'),
  ];
  for (const each of failing) it(`${JSON.stringify(each)} fails`, () => assert.equal(refusal([each]), refused));

  it('needs all expressions of one term', () => {
    const [holds, fails] = [holding[0]!, failing[0]!];
    assert.equal(refusal([holds, fails]), refused);
    assert.equal(refusal([fails], [holds]), undefined);
    assert.equal(refusal([fails], [fails]), refused);
  });

  it('chooses no node without terms or without expressions', () => {
    assert.equal(refusal(), refused);
    assert.equal(refusal([]), refused);
  });
});

describe('taints', () => {
  const tainted = (taint: unknown): Node =>
    testNode('n1', { metadata: { annotations: { [taintsAnnotation]: JSON.stringify(taint) } } });
  const hard = tainted([{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }]);
  const tolerant = (...tolerations: Partial<Toleration>[]): Pod =>
    testPod('web', { metadata: { annotations: { [tolerationsAnnotation]: JSON.stringify(tolerations) } } });
  const refused = 'with taints that the pod does not tolerate';

  it('keep pods off that tolerate nothing', () => {
    assert.equal(refusalOf(taints, testPod('web'), { node: hard }), refused);
  });

  it('are tolerated by key and value, by key alone, or all of them', () => {
    assert.equal(refusalOf(taints, tolerant({ key: 'gpu', value: 'yes' }), { node: hard }), undefined);
    assert.equal(refusalOf(taints, tolerant({ key: 'gpu', operator: 'Exists' }), { node: hard }), undefined);
    assert.equal(refusalOf(taints, tolerant({ operator: 'Exists' }), { node: hard }), undefined);
  });

  it('are not tolerated by another key, value or effect', () => {
    assert.equal(refusalOf(taints, tolerant({ key: 'cpu', value: 'yes' }), { node: hard }), refused);
    assert.equal(refusalOf(taints, tolerant({ key: 'gpu', value: 'no' }), { node: hard }), refused);
    const otherEffect = tolerant({ key: 'gpu', value: 'yes', effect: 'PreferNoSchedule' });
    assert.equal(refusalOf(taints, otherEffect, { node: hard }), refused);
    assert.equal(refusalOf(taints, tolerant({ key: 'gpu', operator: 'Like' }), { node: hard }), refused);
  });

  it('of the soft sort keep nobody off', () => {
    const soft = tainted([{ key: 'gpu', effect: 'PreferNoSchedule' }]);
    assert.equal(refusalOf(taints, testPod('web'), { node: soft }), undefined);
  });

  it('that cannot be read keep everybody off', () => {
    const told = 'with taints that cannot be read';
    assert.equal(refusalOf(taints, testPod('web'), { node: tainted({}) }), told);
    assert.equal(refusalOf(taints, testPod('web'), { node: tainted([1]) }), told);
  });

  it('are not tolerated by what cannot be read', () => {
    const pod = testPod('web', { metadata: { annotations: { [tolerationsAnnotation]: '[' } } });
    assert.equal(refusalOf(taints, pod, { node: hard }), refused);
  });
});

describe('host ports', () => {
  type Port = { hostPort: number; protocol?: 'TCP' | 'UDP'; hostIP?: string };
  function refusal(wanted: Port, ...taken: Port[]): string | undefined {
    const withPort = (name: string, port: Port): Pod => testPod(name, { ports: [{ containerPort: 80, ...port }] });
    const pods = taken.map((port, i) => withPort(`p${i}`, port));
    return refusalOf(hostPorts, withPort('web', wanted), { node: testNode('n1'), pods });
  }
  const refused = 'with the host port taken';

  it('keep two pods with the same port apart', () => {
    assert.equal(refusal({ hostPort: 80 }, { hostPort: 80 }), refused);
    assert.equal(refusal({ hostPort: 80 }, { hostPort: 81 }), undefined);
  });

  it('are told apart by protocol', () => {
    assert.equal(refusal({ hostPort: 53, protocol: 'UDP' }, { hostPort: 53, protocol: 'TCP' }), undefined);
    assert.equal(refusal({ hostPort: 53, protocol: 'UDP' }, { hostPort: 53, protocol: 'UDP' }), refused);
  });

  it('are told apart by address, unless one is for all addresses', () => {
    assert.equal(refusal({ hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '10.0.0.2' }), undefined);
    assert.equal(refusal({ hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '10.0.0.1' }), refused);
    assert.equal(refusal({ hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80 }), refused);
    assert.equal(refusal({ hostPort: 80, hostIP: '0.0.0.0' }, { hostPort: 80, hostIP: '10.0.0.1' }), refused);
  });
});

describe('disks', () => {
  function refusal(wanted: Omit<Volume, 'name'>, taken: Omit<Volume, 'name'>): string | undefined {
    const withVolume = (name: string, volume: Omit<Volume, 'name'>): Pod =>
      testPod(name, { volumes: [{ name: 'data', ...volume }] });
    return refusalOf(disks, withVolume('web', wanted), { node: testNode('n1'), pods: [withVolume('p1', taken)] });
  }
  const refused = 'with the disk in use';
  const gce = (pdName: string, readOnly = false): Omit<Volume, 'name'> => ({ gcePersistentDisk: { pdName, readOnly } });
  const aws = (volumeID: string, readOnly = false): Omit<Volume, 'name'> => ({
    awsElasticBlockStore: { volumeID, readOnly },
  });
  const rbd = (monitors: string[], image: string, pool = 'rbd'): Omit<Volume, 'name'> => ({
    rbd: { monitors, image, pool, user: '', keyring: '' },
  });

  it('of Google Compute Engine are shared by pods that only read', () => {
    assert.equal(refusal(gce('d1'), gce('d1')), refused);
    assert.equal(refusal(gce('d1', true), gce('d1')), refused);
    assert.equal(refusal(gce('d1'), gce('d1', true)), refused);
    assert.equal(refusal(gce('d1', true), gce('d1', true)), undefined);
    assert.equal(refusal(gce('d1'), gce('d2')), undefined);
  });

  it('of Amazon are not shared', () => {
    assert.equal(refusal(aws('v1', true), aws('v1', true)), refused);
    assert.equal(refusal(aws('v1'), aws('v2')), undefined);
  });

  it('of Ceph are the same when they have a monitor, the pool and the image in common', () => {
    assert.equal(refusal(rbd(['a', 'b'], 'i'), rbd(['b', 'c'], 'i')), refused);
    assert.equal(refusal(rbd(['a'], 'i'), rbd(['b'], 'i')), undefined);
    assert.equal(refusal(rbd(['a'], 'i'), rbd(['a'], 'j')), undefined);
    assert.equal(refusal(rbd(['a'], 'i', 'p'), rbd(['a'], 'i', 'q')), undefined);
  });
});
