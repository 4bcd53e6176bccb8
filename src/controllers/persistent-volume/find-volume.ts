import type { Informer } from '../../client/informer.ts';
import { keyOf } from '../../client/object-name.ts';
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts';
import { wholeUnits } from '../../kinds/core/resource-amounts.ts';
import { belongsTo, claimKeys, isFree } from './binding.ts';

/**
 * The volume for a claim: one that is kept for it, or else of the free ones that offer what is asked for the one that offers least more: in ways to
 * mount it first, as in the reference, then in size.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: Pick<Informer<PersistentVolume>, 'index'>,
): PersistentVolume | undefined {
  const fits = (volume: PersistentVolume): boolean =>
    volume.metadata.deletionTimestamp === undefined && whyUnfit(volume, claim) === undefined;
  const own = volumes.index(claimKeys).get(keyOf(claim));
  const kept = own.find((volume) => belongsTo(volume, claim) && fits(volume));
  if (kept) return kept;
  let best: PersistentVolume | undefined;
  for (const volume of volumes.index(freeVolumes).get(free)) {
    if (fits(volume) && (!best || byExcess(volume, best) < 0)) best = volume;
  }
  return best;
}

const free = 'free';

/** What tells free volumes from others, as an index takes it. */
function freeVolumes(volume: PersistentVolume): readonly string[] {
  return isFree(volume) ? [free] : [];
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
