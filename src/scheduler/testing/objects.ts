import type { Container } from '../../kinds/core/pod/container.ts';
import type { Node } from '../../kinds/core/node.ts';
import type { NodeStatus } from '../../kinds/core/node-status.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import type { ObjectMeta } from '../../kinds/meta/object-meta.ts';

export interface TestPod extends Partial<Omit<PodSpec, 'containers'>> {
  readonly metadata?: Partial<ObjectMeta>;
  readonly requests?: Record<string, string>;
  readonly ports?: Container['ports'];
}

/** A pod in namespace `one` with one container. */
export function testPod(name: string, { metadata, requests, ports, ...spec }: TestPod = {}): Pod {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, namespace: 'one', uid: `uid of ${name}`, ...metadata },
    spec: { containers: [{ name: 'main', image: 'image', resources: { requests }, ports }], ...spec },
    status: {},
  };
}

export interface TestNode {
  readonly metadata?: Partial<ObjectMeta>;
  readonly unschedulable?: boolean;
  /** What pods can have; 4 cpu, 8Gi and 110 pods when absent. */
  readonly allocatable?: Record<string, string>;
  /** Status by type; a ready node when absent. */
  readonly conditions?: Record<string, string>;
}

const usual = { cpu: '4', memory: '8Gi', pods: '110' };

export function testNode(name: string, options: TestNode = {}): Node {
  const { metadata, unschedulable, allocatable = usual, conditions = { Ready: 'True', OutOfDisk: 'False' } } = options;
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name, ...metadata },
    spec: { unschedulable },
    status: {
      capacity: allocatable,
      allocatable,
      conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
    } as NodeStatus,
  };
}
