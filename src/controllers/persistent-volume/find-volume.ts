import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts';
import { wholeUnits } from '../../kinds/core/resource-amounts.ts';
import { belongsTo } from './binding.ts';

/**
 * The volume for a claim: one that is kept for it, or else of the free ones that offer what is asked for the one that offers least more: in ways to
 * mount it first, as in the reference, then in size.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const fitting = volumes.filter(
    (volume) => volume.metadata.deletionTimestamp === undefined && whyUnfit(volume, claim) === undefined,
  );
  const kept = fitting.find((volume) => belongsTo(volume, claim));
  if (kept) return kept;
  return fitting.filter(({ spec }) => !spec?.claimRef).toSorted(byExcess)[0];
}

/** What a claim asks for and a volume does not offer; nothing when it fits. */
export function whyUnfit(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const missing = (claim.spec?.accessModes ?? []).filter((mode) => !volume.spec?.accessModes?.includes(mode));
  if (missing.length > 0) return `it cannot be mounted as ${missing.join(', ')}`;
  const asked = claim.spec?.resources?.requests?.['storage'];
  if (sizeOf(volume) < wholeUnits(asked)) return `it holds less than ${asked}`;
  return undefined;
}

function sizeOf({ spec }: PersistentVolume): number {
  return wholeUnits(spec?.capacity?.['storage']);
}

function byExcess(a: PersistentVolume, b: PersistentVolume): number {
  return (
    modesOf(a) - modesOf(b) || sizeOf(a) - sizeOf(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)
  );
}

function modesOf({ spec }: PersistentVolume): number {
  return new Set(spec?.accessModes).size;
}
