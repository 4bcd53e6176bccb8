import { formatTime } from '../../base/clock.ts';
import type { Node } from '../../kinds/core/node.ts';
import type { NodeCondition, NodeStatus } from '../../kinds/core/node-status.ts';
import { simulatedLabel } from '../../kinds/core/simulated-node.ts';
import { version } from '../../version.ts';

/** How much of each resource a node has. */
export interface NodeCapacity {
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
}

/** What sets one simulated node apart from the next. */
export interface NodeIdentity {
  readonly name: string;
  readonly address: string;
  readonly podCIDR: string;
  /** Another one for each run. */
  readonly bootID: string;
  readonly capacity: NodeCapacity;
  readonly labels: Readonly<Record<string, string>>;
}

/** A node that has just joined. */
export function newNode(identity: NodeIdentity, now: number): Node {
  const { name, podCIDR, labels } = identity;
  const node: Node = {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/hostname': name,
        [simulatedLabel]: 'true',
        ...labels,
      },
    },
    spec: { externalID: name, podCIDR },
    status: {} as NodeStatus,
  };
  return { ...node, status: reportedStatus(node, identity, now) };
}

/** The status by which a node says that it is well. Conditions that others keep there stay. */
export function reportedStatus({ status }: Node, identity: NodeIdentity, now: number): NodeStatus {
  const { name, address, bootID, capacity } = identity;
  return {
    ...status,
    capacity: { ...capacity },
    allocatable: { ...capacity },
    conditions: reportedConditions(status.conditions ?? [], now),
    addresses: [
      { type: 'LegacyHostIP', address },
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
    nodeInfo: {
      machineID: name,
      systemUUID: name,
      bootID,
      kernelVersion: 'simulated',
      osImage: 'simulated',
      containerRuntimeVersion: `simulated://${version}`,
      kubeletVersion: `v1.2.7+wherry-${version}`,
      kubeProxyVersion: `v1.2.7+wherry-${version}`,
    },
  };
}

function reportedConditions(old: readonly NodeCondition[], now: number): NodeCondition[] {
  const time = formatTime(now);
  const report = (type: string, status: string, reason: string, message: string): NodeCondition => {
    const before = old.find((condition) => condition.type === type);
    const since = before?.status === status ? before.lastTransitionTime : undefined;
    return { type, status, lastHeartbeatTime: time, lastTransitionTime: since ?? time, reason, message };
  };
  const ours = [
    report('OutOfDisk', 'False', 'KubeletHasSufficientDisk', 'there is room on the disk'),
    report('Ready', 'True', 'KubeletReady', 'the simulated node is ready'),
  ];
  return [...ours, ...old.filter(({ type }) => !ours.some((our) => our.type === type))];
}
