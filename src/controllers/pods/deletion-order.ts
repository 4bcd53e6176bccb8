import type { Pod } from '../../kinds/core/pod.ts';
import { conditionOf, isReady } from '../../kinds/core/pod/pod-state.ts';

const phaseOrder = ['Pending', 'Unknown', 'Running'];

/** Orders pods so that those come first whose loss hurts least: not on a node, not running, not ready, ready for less time, restarted more often, younger. */
export function compareForDeletion(a: Pod, b: Pod): number {
  return (
    Number(hasNode(a)) - Number(hasNode(b)) ||
    phaseRank(a) - phaseRank(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    (isReady(a) ? readySince(b) - readySince(a) : 0) ||
    restarts(b) - restarts(a) ||
    createdAt(b) - createdAt(a)
  );
}

function hasNode({ spec }: Pod): boolean {
  return Boolean(spec.nodeName);
}

function phaseRank({ status }: Pod): number {
  return phaseOrder.indexOf(status.phase ?? 'Pending');
}

/** Without a time nobody knows how long, so it counts as just now. */
function readySince(pod: Pod): number {
  return moment(conditionOf(pod, 'Ready')?.lastTransitionTime);
}

function restarts({ status }: Pod): number {
  return Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount ?? 0));
}

function createdAt({ metadata }: Pod): number {
  return moment(metadata.creationTimestamp);
}

function moment(time: string | undefined): number {
  return time === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(time);
}
