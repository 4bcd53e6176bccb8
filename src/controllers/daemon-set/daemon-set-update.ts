import { isActive, isAvailable } from '../../kinds/core/pod/pod-state.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { DaemonSet } from '../../kinds/extensions/daemon-set.ts';
import { countOf } from '../../kinds/extensions/int-or-percent.ts';
import { hashTemplate } from '../pods/template-hash.ts';
import { isDesired, type NodePlan } from './daemon-set-plan.ts';

/** Tells from which template of its daemon set a pod was made. */
export const revisionHashLabel = 'controller-revision-hash';

/** Says of pods whether they were made from the present template. */
export function upToDate({ spec }: DaemonSet): (pod: Pod) => boolean {
  const hash = hashTemplate(spec.template);
  return ({ metadata }) => metadata.labels?.[revisionHashLabel] === hash;
}

/**
 * Pods of an earlier template to take away now, so that new ones come in their place: those that are not available, and as many others as may
 * be missing at a time. None where pods are replaced only when somebody deletes them.
 */
export function podsToReplace(owner: DaemonSet, plans: readonly NodePlan[], now: number): Pod[] {
  const { updateStrategy, minReadySeconds = 0 } = owner.spec;
  if (updateStrategy?.type !== 'RollingUpdate') return [];
  const desired = plans.filter(isDesired);
  const available = (pod: Pod | undefined): boolean =>
    pod !== undefined && isActive(pod) && isAvailable(pod, minReadySeconds, now);
  const isUpToDate = upToDate(owner);
  const old = desired.flatMap(({ pod }) => (pod && isActive(pod) && !isUpToDate(pod) ? [pod] : []));
  const most = countOf(updateStrategy.rollingUpdate?.maxUnavailable ?? 1, desired.length, 'up');
  const missing = desired.filter(({ pod }) => !available(pod)).length;
  const idle = old.filter((pod) => !available(pod));
  const serving = old.filter((pod) => available(pod));
  return [...idle, ...serving.slice(0, Math.max(0, most - missing))];
}
