import { formatTime } from '../../base/clock.ts';
import type { DeploymentStatus } from '../../kinds/extensions/deployment.ts';
import type { DeploymentCondition } from '../../kinds/extensions/workload-condition.ts';
import type { DeploymentCounts } from './deployment-status.ts';
import { rolloutBounds } from './rollout-bounds.ts';
import type { Rollout } from './rollout.ts';

export interface ConditionsView {
  readonly rollout: Rollout;
  readonly counts: DeploymentCounts;
  /** Why no replica set could be made for the present template. */
  readonly createError?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type Finding = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Whether enough pods can serve, and, where the deployment has a deadline for that, whether the rollout goes on. */
export function deploymentConditions(view: ConditionsView): DeploymentCondition[] {
  const before = view.rollout.deployment.status ?? {};
  const progressing = progress(view, before);
  return [note(availability(view), before, view.now), ...(progressing ? [progressing] : [])];
}

/** How long until the rollout has failed, in milliseconds, if nothing happens; Infinity when it cannot. */
export function timeToDeadline(conditions: readonly DeploymentCondition[], { rollout, now }: ConditionsView): number {
  const { progressDeadlineSeconds: deadline, paused } = rollout.deployment.spec;
  const known = conditions.find(({ type }) => type === 'Progressing');
  if (deadline === undefined || paused || !known || isSettled(known)) return Infinity;
  return Math.max(0, Date.parse(known.lastUpdateTime ?? formatTime(now)) + deadline * 1000 - now);
}

/** Neither kind of end is changed by time. */
function isSettled({ reason }: DeploymentCondition): boolean {
  return reason === 'NewReplicaSetAvailable' || reason === 'ProgressDeadlineExceeded';
}

function availability({ rollout, counts }: ConditionsView): Finding {
  const { desired, fewestAvailable } = rolloutBounds(rollout.deployment);
  // Where all pods are replaced at once, none has to be there meanwhile, but whoever waits for the deployment waits for all.
  const enough = rollout.deployment.spec.strategy?.type === 'Recreate' ? desired : fewestAvailable;
  const type = 'Available';
  return counts.availableReplicas >= enough
    ? { type, status: 'True', reason: 'MinimumReplicasAvailable', message: 'Enough pods are available.' }
    : { type, status: 'False', reason: 'MinimumReplicasUnavailable', message: 'Too few pods are available.' };
}

function progress(view: ConditionsView, before: DeploymentStatus): DeploymentCondition | undefined {
  const { rollout, now } = view;
  const { progressDeadlineSeconds, paused } = rollout.deployment.spec;
  if (progressDeadlineSeconds === undefined) return undefined;
  const known = before.conditions?.find(({ type }) => type === 'Progressing');
  const finding = (status: string, reason: string, message: string): DeploymentCondition =>
    note({ type: 'Progressing', status, reason, message }, before, now);
  const name = rollout.current?.set.metadata.name;
  if (paused) return finding('Unknown', 'DeploymentPaused', 'Deployment is paused');
  if (known?.reason === 'DeploymentPaused') return finding('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  if (view.createError !== undefined) return finding('False', 'ReplicaSetCreateError', view.createError);
  if (!rollout.current) return finding('True', 'NewReplicaSetCreated', 'A new replica set is made');
  if (isComplete(view)) return finding('True', 'NewReplicaSetAvailable', `Replica set ${name} has all its pods.`);
  // Pods that are lost after the end are made up for, which is no rollout.
  if (known?.reason === 'NewReplicaSetAvailable' && view.counts.replicas === view.counts.updatedReplicas) return known;
  if (!known || known.reason === 'NewReplicaSetAvailable' || hasProgressed(view, before)) {
    const going = finding('True', 'ReplicaSetUpdated', `Replica set ${name} is progressing.`);
    return { ...going, lastUpdateTime: formatTime(now) };
  }
  if (timeToDeadline([known], view) === 0) {
    return finding('False', 'ProgressDeadlineExceeded', `Replica set ${name} has timed out progressing.`);
  }
  return known;
}

function isComplete({ rollout, counts }: ConditionsView): boolean {
  const { replicas = 1 } = rollout.deployment.spec;
  return [counts.updatedReplicas, counts.replicas, counts.availableReplicas].every((count) => count === replicas);
}

function hasProgressed({ counts }: ConditionsView, before: DeploymentStatus): boolean {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = before;
  return (
    counts.updatedReplicas > updatedReplicas ||
    counts.replicas - counts.updatedReplicas < replicas - updatedReplicas ||
    counts.readyReplicas > readyReplicas ||
    counts.availableReplicas > availableReplicas
  );
}

/** The finding as a condition. Times move only when something has changed. */
function note(finding: Finding, { conditions = [] }: DeploymentStatus, now: number): DeploymentCondition {
  const known = conditions.find(({ type }) => type === finding.type);
  if (known && known.status === finding.status && known.reason === finding.reason) return known;
  const time = formatTime(now);
  const since = known?.status === finding.status ? known.lastTransitionTime : time;
  return { ...finding, lastUpdateTime: time, lastTransitionTime: since };
}
