import type { DeploymentStatus } from '../../kinds/extensions/deployment.ts';
import { setsOf, type Rollout } from './rollout.ts';
import { sum } from './set-state.ts';

type Counts = 'observedGeneration' | 'replicas' | 'updatedReplicas' | 'availableReplicas' | 'unavailableReplicas';

/** How far a rollout has got. */
export function deploymentStatus(rollout: Rollout): Required<Pick<DeploymentStatus, Counts>> {
  const sets = setsOf(rollout);
  const availableReplicas = sum(sets, ({ available }) => available);
  return {
    observedGeneration: rollout.deployment.metadata.generation ?? 0,
    replicas: sum(sets, ({ pods }) => pods),
    updatedReplicas: rollout.current?.pods ?? 0,
    availableReplicas,
    unavailableReplicas: Math.max(0, sum(sets, ({ replicas }) => replicas) - availableReplicas),
  };
}

/** What a status says where it says nothing. */
export const emptyStatus: Required<Pick<DeploymentStatus, Counts>> = {
  observedGeneration: 0,
  replicas: 0,
  updatedReplicas: 0,
  availableReplicas: 0,
  unavailableReplicas: 0,
};
