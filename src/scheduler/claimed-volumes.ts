import { keyOf } from '../client/object-name.ts';
import type { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts';
import type { PersistentVolume } from '../kinds/core/persistent-volume.ts';
import { regionLabel, zoneLabel } from './node-state.ts';
import type { PodNeeds } from './pod-needs.ts';

/** Where claims and volumes are looked up. */
export interface VolumeLookup {
  /** By `namespace/name`. */
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
}

/** The pod with what is known of its claimed volumes, or why it cannot have a node before its claims have theirs. */
export type ClaimFinding = { readonly needs: PodNeeds } | { readonly needs: undefined; readonly problem: string };

export function lookAtClaims(needs: PodNeeds, volumes: VolumeLookup): ClaimFinding {
  if (needs.claims.length === 0) return { needs };
  const volumeZones: [label: string, value: string][] = [];
  for (const name of needs.claims) {
    const claim = volumes.claim(keyOf({ namespace: needs.namespace, name }));
    if (!claim) return refused(`there is no PersistentVolumeClaim "${name}"`);
    const volumeName = claim.spec?.volumeName;
    if (!volumeName) return refused(`PersistentVolumeClaim "${name}" is not bound to a volume yet`);
    const volume = volumes.volume(volumeName);
    if (!volume) return refused(`PersistentVolume "${volumeName}" of PersistentVolumeClaim "${name}" is not there`);
    volumeZones.push(...zonesOf(volume));
  }
  return { needs: { ...needs, volumeZones } };
}

/** Whether a change of a volume may help a pod that waits for it. */
export function isElsewhere(before: PersistentVolume, after: PersistentVolume): boolean {
  return String(zonesOf(before)) !== String(zonesOf(after));
}

function zonesOf({ metadata: { labels = {} } }: PersistentVolume): [label: string, value: string][] {
  return [zoneLabel, regionLabel].flatMap((label) => (labels[label] === undefined ? [] : [[label, labels[label]]]));
}

function refused(problem: string): ClaimFinding {
  return { needs: undefined, problem };
}
