import { event } from '../../kinds/core/event.ts';
import { pod } from '../../kinds/core/pod.ts';
import { replicationController } from '../../kinds/core/replication-controller.ts';
import { daemonSet } from '../../kinds/extensions/daemon-set.ts';
import { deployment } from '../../kinds/extensions/deployment.ts';
import { horizontalPodAutoscaler } from '../../kinds/extensions/horizontal-pod-autoscaler.ts';
import { job } from '../../kinds/extensions/job.ts';
import { replicaSet } from '../../kinds/extensions/replica-set.ts';
import type { Kind } from '../../kinds/kind.ts';

/** Whoever would make up for what goes, goes before it. */
const first: readonly unknown[] = [
  horizontalPodAutoscaler,
  deployment,
  daemonSet,
  job,
  replicaSet,
  replicationController,
  pod,
];

/** While anything happens in the namespace, somebody may still tell about it. */
const last: readonly unknown[] = [event];

/** The kinds that a namespace holds, in the order in which it is emptied. Kinds that are not named here are in the middle. */
export function contentOrder(kinds: readonly Kind[]): readonly Kind[] {
  const rank = (kind: Kind): number => {
    if (first.includes(kind)) return first.indexOf(kind);
    return first.length + (last.includes(kind) ? 1 : 0);
  };
  return kinds.filter(({ namespaced }) => namespaced).toSorted((a, b) => rank(a) - rank(b));
}
