import type { Pod } from '../../kinds/core/pod.ts';
import type { PodWhereabouts } from '../environment/field-value.ts';

/** A volume that is ready to be mounted. */
export interface ReadyVolume {
  readonly hostPath: string;
  /** Whether it can only be read, whatever a mount says. */
  readonly readOnly: boolean;
}

/** A pod whose volumes are set up. */
export interface VolumeOwner {
  readonly pod: Pod;
  /** Where its volumes go; private to the pod. */
  readonly directory: string;
  readonly whereabouts: PodWhereabouts;
}

/** A volume cannot be set up. Trying again later may help. */
export class VolumeError extends Error {
  override readonly name = 'VolumeError';
}
