import { formatTime } from '../../base/clock.ts';
import type { NodeCondition } from '../../kinds/core/node-status.ts';
import type { Node } from '../../kinds/core/node.ts';

export function readyCondition({ status }: Node): NodeCondition | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}

export function isNodeReady(node: Node): boolean {
  return readyCondition(node)?.status === 'True';
}

/** Whether nobody knows how the node fares. */
export function isGivenUp(node: Node): boolean {
  return readyCondition(node)?.status === 'Unknown';
}

/** What only the node itself can tell. */
const toldByNodes = ['Ready', 'OutOfDisk'];

/** Writes into a node that nobody knows how it fares. When it was last heard of stays. */
export function markUnknown(node: Node, now: number): void {
  const conditions = node.status.conditions ?? [];
  for (const type of toldByNodes) {
    const known = conditions.find((condition) => condition.type === type);
    if (known?.status === 'Unknown') continue;
    const unknown: NodeCondition = {
      ...(known ?? neverHeardOf(node, type)),
      ...silence(known !== undefined),
      status: 'Unknown',
    };
    unknown.lastTransitionTime = formatTime(now);
    if (known) conditions[conditions.indexOf(known)] = unknown;
    else conditions.push(unknown);
  }
  node.status.conditions = conditions;
}

function neverHeardOf({ metadata }: Node, type: string): NodeCondition {
  return { type, status: 'Unknown', lastHeartbeatTime: metadata.creationTimestamp };
}

function silence(wasHeardOf: boolean): Pick<NodeCondition, 'reason' | 'message'> {
  return wasHeardOf
    ? { reason: 'NodeStatusUnknown', message: 'The node stopped reporting its status.' }
    : { reason: 'NodeStatusNeverUpdated', message: 'The node has never reported its status.' };
}
