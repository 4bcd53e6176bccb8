import type { DeploymentStatus } from '../../kinds/extensions/deployment.ts';
import { setsOf, type Rollout } from './rollout.ts';
import { sum } from './set-state.ts';

/** What of a status is counted. */
export type DeploymentCounts = Required<Omit<DeploymentStatus, 'conditions' | 'collisionCount'>>;

/** How far a rollout has got. */
export function countPods(rollout: Rollout): DeploymentCounts {
  const sets = setsOf(rollout);
  const availableReplicas = sum(sets, ({ available }) => available);
  return {
    observedGeneration: rollout.deployment.metadata.generation ?? 0,
    replicas: sum(sets, ({ pods }) => pods),
    updatedReplicas: rollout.current?.pods ?? 0,
    readyReplicas: sum(sets, ({ ready }) => ready),
    availableReplicas,
    unavailableReplicas: Math.max(0, sum(sets, ({ replicas }) => replicas) - availableReplicas),
  };
}

/** What a status says where it says nothing. */
export const emptyStatus: DeploymentCounts & Pick<Required<DeploymentStatus>, 'conditions'> = {
  observedGeneration: 0,
  replicas: 0,
  updatedReplicas: 0,
  readyReplicas: 0,
  availableReplicas: 0,
  unavailableReplicas: 0,
  conditions: [],
};
