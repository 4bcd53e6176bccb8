import type { Pod } from '../../kinds/core/pod.ts';
import { isActive, isAvailable, isReady } from '../../kinds/core/pod/pod-state.ts';
import type { DaemonSet, DaemonSetStatus } from '../../kinds/extensions/daemon-set.ts';
import { isDesired, type NodePlan } from './daemon-set-plan.ts';
import { upToDate } from './daemon-set-update.ts';

/** On how many nodes a daemon set runs. */
export function daemonSetStatus(owner: DaemonSet, plans: readonly NodePlan[], now: number): DaemonSetStatus {
  const { minReadySeconds = 0 } = owner.spec;
  const desired = plans.filter(isDesired);
  const count = (holds: (pod: Pod) => boolean): number => desired.filter(({ pod }) => pod && holds(pod)).length;
  const numberAvailable = count((pod) => isActive(pod) && isAvailable(pod, minReadySeconds, now));
  return {
    ...owner.status,
    desiredNumberScheduled: desired.length,
    currentNumberScheduled: count(() => true),
    numberMisscheduled: plans.filter(({ isMeant, pod }) => !isMeant && pod !== undefined).length,
    numberReady: count((pod) => isActive(pod) && isReady(pod)),
    updatedNumberScheduled: count(upToDate(owner)),
    numberAvailable,
    numberUnavailable: desired.length - numberAvailable,
    observedGeneration: owner.metadata.generation ?? 0,
  };
}

/** What a status says where it says nothing. */
export const emptyStatus: DaemonSetStatus = {
  desiredNumberScheduled: 0,
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  numberReady: 0,
  updatedNumberScheduled: 0,
  numberAvailable: 0,
  numberUnavailable: 0,
  observedGeneration: 0,
};
