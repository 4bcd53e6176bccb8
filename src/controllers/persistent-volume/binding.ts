import { keyOf } from '../../client/object-name.ts';
import type { ObjectReference } from '../../kinds/core/object-reference.ts';
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

/** On a claim whose volume was found or confirmed: from then on the volume is its own, and its loss is a loss. */
const bindCompleted = 'pv.kubernetes.io/bind-completed';
/** On whichever side was bound by the controller rather than by its user, who could undo it. */
const boundByController = 'pv.kubernetes.io/bound-by-controller';

function hasAnnotation({ metadata }: ApiObject, name: string): boolean {
  return metadata.annotations?.[name] !== undefined;
}

export function isBound(claim: PersistentVolumeClaim): boolean {
  return hasAnnotation(claim, bindCompleted);
}

/** The key of the claim that a volume is bound to or kept for. */
export function claimKeyOf({ spec }: PersistentVolume): string | undefined {
  const reference = spec?.claimRef;
  return reference?.name ? keyOf({ namespace: reference.namespace, name: reference.name }) : undefined;
}

/** The same as an index takes it. */
export function claimKeys(volume: PersistentVolume): readonly string[] {
  const key = claimKeyOf(volume);
  return key === undefined ? [] : [key];
}

/** Whether any claim can have the volume. */
export function isFree({ spec }: PersistentVolume): boolean {
  return !spec?.claimRef;
}

/** Whether the volume is this claim's: bound to it, or kept for whoever has its name. */
export function belongsTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (claimKeyOf(volume) !== keyOf(claim)) return false;
  const uid = volume.spec?.claimRef?.uid;
  return !uid || uid === claim.metadata.uid;
}

function referenceTo({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion };
}

/** The volume with the claim that it is bound to; the same object when it is so already. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  if (volume.spec?.claimRef?.uid && belongsTo(volume, claim)) return volume;
  const wasKept = claimKeyOf(volume) !== undefined;
  const bound = { ...volume, spec: { ...volume.spec, claimRef: referenceTo(claim) } };
  return wasKept ? bound : annotated(bound, { [boundByController]: 'yes' });
}

/** The volume without its claim; one that its user keeps for a claim stays so. */
export function freeVolume(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {};
  if (!claimRef) return volume;
  if (hasAnnotation(volume, boundByController))
    return annotated({ ...volume, spec }, { [boundByController]: undefined });
  const { uid: _uid, resourceVersion: _version, ...kept } = claimRef;
  return { ...volume, spec: { ...spec, claimRef: kept } };
}

/** The claim with the volume that it is bound to; the same object when it is so already. */
export function boundClaim(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const { name: volumeName } = volume.metadata;
  if (claim.spec?.volumeName === volumeName && isBound(claim)) return claim;
  const wasChosen = Boolean(claim.spec?.volumeName);
  const bound = { ...claim, spec: { ...claim.spec, volumeName } };
  return annotated(
    bound,
    wasChosen ? { [bindCompleted]: 'yes' } : { [bindCompleted]: 'yes', [boundByController]: 'yes' },
  );
}

function annotated<T extends ApiObject>(object: T, changes: Record<string, string | undefined>): T {
  const annotations = Object.entries({ ...object.metadata.annotations, ...changes });
  const kept = annotations.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: kept.length > 0 ? Object.fromEntries(kept) : undefined } };
}
