import { join } from 'node:path';
import type { Pod } from '../../kinds/core/pod.ts';
import type { PodWhereabouts } from '../environment/field-value.ts';

/** Where the volumes of a pod are, in the directory that the pod has. */
export function volumesOf(directory: string): string {
  return join(directory, 'volumes');
}

/** A volume that is ready to be mounted. */
export interface ReadyVolume {
  readonly hostPath: string;
  /** Whether it can only be read, whatever a mount says. */
  readonly readOnly: boolean;
  /** What was asked for and cannot be given here: for an event, so that nobody counts on it. */
  readonly warning?: string;
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
