import type { Chance } from '../../testing/chance.ts';
import type { SpecPatch } from './deployment-world.ts';

/** How a deployment may be at first, all but its template. */
export function anySpec(chance: Chance): SpecPatch {
  const maxSurge = chance.of([0, 1, 2, '25%', '50%', '100%']);
  const maxUnavailable = maxSurge === 0 ? chance.of([1, 2, '30%']) : chance.of([0, 1, 2, '30%', '100%']);
  return {
    replicas: 1 + chance.below(8),
    minReadySeconds: chance.of([undefined, 5]),
    revisionHistoryLimit: chance.of([undefined, 0, 1, 2]),
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
  };
}

/** A change of the spec to pods of another version. */
export function withImage(version: number): object {
  return { template: { spec: { containers: [{ name: 'main', image: `web:${version}` }] } } };
}

/** What somebody may do to a deployment: a change of its spec. A new version of the pods is that of the step. */
export function anyChange(chance: Chance, step: number): object {
  switch (chance.below(6)) {
    case 0:
      return { replicas: chance.below(9) };
    case 1:
      return { paused: true };
    case 2:
      return { paused: null };
    case 3:
      return { rollbackTo: { revision: chance.below(4) } };
    default:
      return withImage(step + 2);
  }
}
