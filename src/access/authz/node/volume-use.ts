import { persistentVolumeClaim } from '../../../kinds/core/persistent-volume-claim.ts';
import { persistentVolume, type PersistentVolume } from '../../../kinds/core/persistent-volume.ts';
import type { Storage } from '../../../storage/storage.ts';
import { readObject } from '../../read-object.ts';
import type { RequestAction } from '../request-action.ts';
import type { FollowedPods } from './node-pods.ts';
import { driverSecrets } from './pod-references.ts';

/** Whether the volume that is asked for belongs to a claim that a pod of the node uses. */
export async function isUsedVolume(
  storage: Storage,
  pods: FollowedPods,
  node: string,
  { name }: RequestAction,
): Promise<boolean> {
  const volume = name === undefined ? undefined : await readVolume(storage, name);
  const claim = volume?.spec?.claimRef;
  if (!claim?.namespace || !claim.name) return false;
  return (await pods.get()).uses(node, claim.namespace, `persistentvolumeclaims/${claim.name}`);
}

/** Whether the secret that is asked for is for a driver that attaches the volume of such a claim. */
export async function isDriverSecret(
  storage: Storage,
  pods: FollowedPods,
  node: string,
  { namespace, name }: RequestAction,
): Promise<boolean> {
  if (namespace === undefined || name === undefined) return false;
  for (const claim of (await pods.get()).claimsOf(node, namespace)) {
    const volume = await readVolumeOf(storage, namespace, claim);
    if (volume?.spec && driverSecrets(volume.spec).includes(name)) return true;
  }
  return false;
}

/** The volume that a claim is bound to, where the volume says so, too. */
async function readVolumeOf(storage: Storage, namespace: string, name: string): Promise<PersistentVolume | undefined> {
  const claim = await readObject(storage, persistentVolumeClaim, namespace, name);
  if (!claim?.spec?.volumeName) return undefined;
  const volume = await readVolume(storage, claim.spec.volumeName);
  const claimRef = volume?.spec?.claimRef;
  return claimRef?.namespace === namespace && claimRef.name === name ? volume : undefined;
}

function readVolume(storage: Storage, name: string): Promise<PersistentVolume | undefined> {
  return readObject(storage, persistentVolume, undefined, name);
}
