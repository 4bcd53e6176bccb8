import { formatTime } from '../../base/clock.ts';
import type { Node } from '../../kinds/core/node.ts';
import type { NodeCondition, NodeStatus, NodeSystemInfo } from '../../kinds/core/node-status.ts';
import { reportedConditions } from '../reported-conditions.ts';
import { machineArchitecture } from './machine-info.ts';
import type { AgentNode } from './node-agent.ts';

/** All that a node says of itself and that does not change while its agent runs. */
export interface NodeIdentity extends AgentNode {
  readonly capacity: Readonly<Record<string, string>>;
  /** Where the agent listens. */
  readonly port: number;
  readonly info: NodeSystemInfo;
}

/** How the node is at a moment. */
export interface NodeHealth {
  readonly now: number;
  readonly isDiskFull: boolean | undefined;
}

/** A node that has just joined. */
export function newNode(identity: NodeIdentity, health: NodeHealth): Node {
  const { name } = identity;
  const metadata = { name, labels: labelsOf(identity) };
  const node: Node = { kind: 'Node', apiVersion: 'v1', metadata, spec: { externalID: name }, status: {} as NodeStatus };
  return { ...node, status: reportedStatus(node, identity, health) };
}

/** The labels that the agent gives its node. */
export function labelsOf({ name, labels = {} }: AgentNode): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': machineArchitecture(),
    'beta.kubernetes.io/os': process.platform,
    'kubernetes.io/hostname': name,
    ...labels,
  };
}

/** The status by which a node says that it is well. Conditions that others keep there stay. */
export function reportedStatus({ status }: Node, identity: NodeIdentity, health: NodeHealth): NodeStatus {
  const { name, addresses, capacity, port, info } = identity;
  const hasName = addresses.some(({ type }) => type === 'Hostname');
  return {
    ...status,
    capacity: { ...capacity },
    allocatable: { ...capacity },
    conditions: conditionsOf(status.conditions, health),
    addresses: hasName ? [...addresses] : [...addresses, { type: 'Hostname', address: name }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    nodeInfo: info,
  };
}

function conditionsOf(old: readonly NodeCondition[] | undefined, { now, isDiskFull }: NodeHealth): NodeCondition[] {
  const time = formatTime(now);
  const ours: NodeCondition[] = [
    { ...diskCondition(isDiskFull), lastHeartbeatTime: time },
    {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'the node agent is ready',
      lastHeartbeatTime: time,
    },
  ];
  return reportedConditions(ours, old, time);
}

function diskCondition(isFull: boolean | undefined): Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'> {
  const type = 'OutOfDisk';
  if (isFull) return { type, status: 'True', reason: 'KubeletOutOfDisk', message: 'the disk is nearly full' };
  if (isFull === undefined) {
    return { type, status: 'Unknown', reason: 'KubeletDiskUnknown', message: 'how full the disk is cannot be told' };
  }
  return { type, status: 'False', reason: 'KubeletHasSufficientDisk', message: 'there is room on the disk' };
}
