import { keyOf } from '../client/object-name.ts';
import { affinityOf, type NodeAffinity } from '../kinds/core/pod/affinity-annotation.ts';
import type { Pod } from '../kinds/core/pod.ts';
import { milliUnits, wholeUnits } from '../kinds/core/resource-amounts.ts';
import { controllerOf } from '../kinds/meta/controller-reference.ts';
import { disksOf, type Disk } from './disk.ts';
import { hostPortsOf, type HostPort } from './host-port.ts';
import { tolerationsOf, type Toleration } from './taint.ts';

/** All that the scheduler looks at in a pod, read once. */
export interface PodNeeds {
  /** `namespace/name`. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Processor time that is asked for, in thousandths; what is not asked for counts as 0. */
  readonly cpu: number;
  /** Bytes that are asked for. */
  readonly memory: number;
  /** As above for comparing nodes, where what is not asked for counts as what pods usually use. */
  readonly likelyCpu: number;
  readonly likelyMemory: number;
  readonly hostPorts: readonly HostPort[];
  readonly disks: readonly Disk[];
  /** Names of the claims whose volumes the pod uses. */
  readonly claims: readonly string[];
  /** Where those volumes are, as labels of their zone and region; known only while a node is looked for. */
  readonly volumeZones: readonly (readonly [label: string, value: string])[];
  readonly nodeSelector: readonly (readonly [label: string, value: string])[];
  readonly nodeAffinity: NodeAffinity | undefined;
  readonly tolerations: readonly Toleration[];
  /** The uid of the controller that made the pod. */
  readonly controller: string | undefined;
}

/** For each container without a request, as in the reference. */
const likelyCpu = 100;
const likelyMemory = 200 * 1024 * 1024;

export function needsOf(pod: Pod): PodNeeds {
  const { namespace = '', name = '', uid = '', labels = {}, annotations } = pod.metadata;
  return {
    key: keyOf(pod),
    namespace,
    name,
    uid,
    labels,
    ...requestsOf(pod),
    hostPorts: hostPortsOf(pod),
    disks: disksOf(pod),
    claims: (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : [])),
    volumeZones: [],
    nodeSelector: Object.entries(pod.spec.nodeSelector ?? {}),
    nodeAffinity: affinityOf(annotations)?.nodeAffinity,
    tolerations: tolerationsOf(annotations),
    controller: controllerOf(pod)?.uid,
  };
}

/**
 * What is asked for beyond this counts as this, in thousandths or bytes: more than any node has, and so little that sums of it stay exact. A pod that
 * was put on a node by hand would otherwise leave a wrong sum behind when it goes.
 */
const mostCounted = 2 ** 48;

type Requests = Pick<PodNeeds, 'cpu' | 'memory' | 'likelyCpu' | 'likelyMemory'>;

function requestsOf({ spec }: Pod): Requests {
  const sums = { cpu: 0, memory: 0, likelyCpu: 0, likelyMemory: 0 };
  for (const { resources } of spec.containers) {
    const { cpu, memory } = resources?.requests ?? {};
    const [milliCpu, bytes] = [Math.min(milliUnits(cpu), mostCounted), Math.min(wholeUnits(memory), mostCounted)];
    sums.cpu += milliCpu;
    sums.memory += bytes;
    sums.likelyCpu += cpu === undefined ? likelyCpu : milliCpu;
    sums.likelyMemory += memory === undefined ? likelyMemory : bytes;
  }
  return sums;
}
