import type { Deployment } from '../../kinds/extensions/deployment.ts';
import { countOf } from '../../kinds/extensions/int-or-percent.ts';

/** Between which numbers of pods a deployment moves. */
export interface RolloutBounds {
  /** How many pods there are to be in the end. */
  readonly desired: number;
  /** How many there may be meanwhile. */
  readonly most: number;
  /** How many must be available meanwhile, as far as it is in the deployment's hands. */
  readonly fewestAvailable: number;
}

/** Shares are counted in favour of the pods: a surge is rounded up, what may be missing is rounded down. */
export function rolloutBounds({ spec }: Deployment): RolloutBounds {
  const desired = spec.replicas ?? 1;
  if (spec.strategy?.type === 'Recreate' || desired === 0) return { desired, most: desired, fewestAvailable: 0 };
  const { maxSurge = 1, maxUnavailable = 1 } = spec.strategy?.rollingUpdate ?? {};
  const surge = countOf(maxSurge, desired, 'up');
  const missing = countOf(maxUnavailable, desired, 'down');
  // Both come to nothing where a percentage is of few pods: then one may be missing, or no pod could ever be replaced.
  const fewestAvailable = Math.max(0, desired - (surge === 0 && missing === 0 ? 1 : missing));
  return { desired, most: desired + surge, fewestAvailable };
}
