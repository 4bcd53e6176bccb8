import { formatTime } from '../../base/clock.ts';
import type { Node } from '../../kinds/core/node.ts';
import type { NodeCondition, NodeStatus } from '../../kinds/core/node-status.ts';
import { simulatedLabel } from '../../kinds/core/simulated-node.ts';
import { version } from '../../version.ts';
import { reportedConditions } from '../reported-conditions.ts';

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
    conditions: conditionsOf(status.conditions, now),
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

function conditionsOf(old: readonly NodeCondition[] | undefined, now: number): NodeCondition[] {
  const time = formatTime(now);
  const ours: NodeCondition[] = [
    { type: 'OutOfDisk', status: 'False', reason: 'KubeletHasSufficientDisk', message: 'there is room on the disk' },
    { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'the simulated node is ready' },
  ];
  return reportedConditions(
    ours.map((condition) => ({ ...condition, lastHeartbeatTime: time })),
    old,
    time,
  );
}
