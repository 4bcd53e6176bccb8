import type { Node } from '../../kinds/core/node.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { isFinished } from '../../kinds/core/pod/pod-state.ts';
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import { oldestFirst } from '../oldest-first.ts';
import { isMeantFor, obstacleTo } from './node-fit.ts';

/** What a daemon set has and is to have on one node. */
export interface NodePlan {
  readonly node: Node;
  /** Whether it is to have a pod there. */
  readonly isMeant: boolean;
  /** The pod that counts: the oldest that has not ended. It may be on its way out. */
  readonly pod: Pod | undefined;
  /** Pods that are not to be there: too many, or on a node that they are not meant for. */
  readonly surplus: readonly Pod[];
  /** Pods that have ended and stand in the way of another. */
  readonly ended: readonly Pod[];
  /** Why a missing pod cannot be made. */
  readonly obstacle: string | undefined;
}

export interface NodeView {
  readonly node: Node;
  /** The daemon set's own pods there. */
  readonly own: readonly Pod[];
  /** What else runs there. */
  readonly others: () => readonly PodSpec[];
}

export function planNode(template: PodSpec, { node, own, others }: NodeView): NodePlan {
  const isMeant = isMeantFor(template, node);
  const staying = own.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!isMeant) {
    const pod = own.find((each) => !isFinished(each));
    return { node, isMeant, pod, surplus: staying, ended: [], obstacle: undefined };
  }
  const byAge = own.filter((pod) => !isFinished(pod)).toSorted(oldestFirst);
  // One on its way out counts only where no other is there: the node is free for the next when it is gone.
  const pod = byAge.find((each) => staying.includes(each)) ?? byAge[0];
  const ended = staying.filter(isFinished);
  const surplus = staying.filter((each) => each !== pod && !isFinished(each));
  const obstacle = pod ? undefined : obstacleTo(template, node, others());
  return { node, isMeant, pod, surplus, ended, obstacle };
}

/** Whether the pod is missing and can be made. */
export function isMissing({ isMeant, pod, ended, obstacle }: NodePlan): boolean {
  return isMeant && !pod && ended.length === 0 && obstacle === undefined;
}

/** Whether the node counts as one that is to run the pod. As in the reference, one where it cannot be put does not. */
export function isDesired({ isMeant, obstacle }: NodePlan): boolean {
  return isMeant && obstacle === undefined;
}
