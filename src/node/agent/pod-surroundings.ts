import type { PodPlace } from '../runtime.ts';
import type { ReadyVolume } from '../volumes/volume.ts';

/** What containers get from their pod. */
export interface PodSurroundings {
  readonly place: PodPlace;
  readonly podIP: string;
  readonly volumes: ReadonlyMap<string, ReadyVolume>;
}
