import { posix } from 'node:path';
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts';
import { deleteHostPath } from './delete-host-path.ts';

/** Does something about what is behind a volume; throws, with a message for people, when it cannot. */
export type VolumeAction = (volume: PersistentVolume) => Promise<void>;

export interface ReclaimOptions {
  /** Empties a volume for its next claim. Absent: volumes to be recycled fail, with a message that says so. */
  readonly recycle?: VolumeAction;
  /** Deletes what is behind a volume; directories for temporary files only unless given. */
  readonly deleteVolume?: VolumeAction;
}

/** What became of a volume whose claim is gone. */
export type Reclaimed =
  | { readonly outcome: 'kept' | 'emptied' | 'deleted' }
  | { readonly outcome: 'failed'; readonly reason: string; readonly message: string };

/** Carries out a volume's reclaim policy, as far as it is about what is behind the volume. */
export async function reclaim(volume: PersistentVolume, options: ReclaimOptions): Promise<Reclaimed> {
  const policy = volume.spec?.persistentVolumeReclaimPolicy;
  switch (policy) {
    case 'Retain':
    case undefined:
      return { outcome: 'kept' };
    case 'Recycle':
      return attempt('emptied', 'VolumeFailedRecycle', () => recycleVolume(volume, options.recycle));
    case 'Delete':
      return attempt('deleted', 'VolumeFailedDelete', () => (options.deleteVolume ?? deleteHostPath)(volume));
    default:
      return {
        outcome: 'failed',
        reason: 'VolumeUnknownReclaimPolicy',
        message: `there is no reclaim policy ${policy}`,
      };
  }
}

async function recycleVolume(volume: PersistentVolume, recycle: VolumeAction | undefined): Promise<void> {
  if (!recycle) {
    throw new Error(
      'nothing here can empty volumes; empty it by hand and take its claimRef away, or choose another reclaim policy',
    );
  }
  // Recycling removes all that is in the volume, which must not be the whole file system of a node.
  const path = volume.spec?.hostPath?.path;
  if (path && posix.normalize(path) === '/') throw new Error('a hostPath of "/" is never emptied');
  await recycle(volume);
}

async function attempt(outcome: 'emptied' | 'deleted', reason: string, act: () => Promise<void>): Promise<Reclaimed> {
  try {
    await act();
    return { outcome };
  } catch (error) {
    return { outcome: 'failed', reason, message: error instanceof Error ? error.message : String(error) };
  }
}
