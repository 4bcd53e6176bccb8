import type { Deployment } from '../../kinds/extensions/deployment.ts';
import type { RolloutSets } from './rolling-update.ts';
import type { SetState } from './set-state.ts';

/** A deployment and its replica sets, as they are at one moment. */
export interface Rollout extends RolloutSets {
  readonly deployment: Deployment;
}

/** All replica sets, the present one last. */
export function setsOf({ current, old }: RolloutSets): readonly SetState[] {
  return current ? [...old, current] : old;
}
