import { chmod, mkdir, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { persistentVolumeClaim as claimKind } from '../../kinds/core/persistent-volume-claim.ts';
import { persistentVolume as volumeKind } from '../../kinds/core/persistent-volume.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { wholeUnits } from '../../kinds/core/resource-amounts.ts';
import type { Volume } from '../../kinds/core/pod/volume.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { replaceFiles } from './atomic-files.ts';
import type { FollowedObjects } from './followed-objects.ts';
import { cloneRepository } from './git-repository.ts';
import { makeMemoryDirectory, releaseMemory } from './memory-directory.ts';
import { shownObject, volumeFiles, type ReadObject } from './volume-files.ts';
import { VolumeError, type ReadyVolume, type VolumeOwner } from './volume.ts';

export interface PodVolumesOptions {
  readonly clock: Clock;
  readonly objects: FollowedObjects;
  /** Something that a pod shows as files has changed: `refresh` brings the files up to date. */
  onChange(uid: string): void;
}

const volumeName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** What goes on for the volumes of a pod. */
interface Following {
  /** Ends the watches of what they show. */
  readonly ends: readonly (() => void)[];
  /** Gives up what takes long to be made. */
  readonly stopping: AbortController;
}

/** The volumes of all pods of a node. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;
  readonly #following = new Map<string, Following>();

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  /** Makes all volumes of a pod, by name; those that are there are kept. Fails with `VolumeError`. */
  async setUp(owner: VolumeOwner): Promise<ReadonlyMap<string, ReadyVolume>> {
    const { signal } = this.#follow(owner).stopping;
    const ready = new Map<string, ReadyVolume>();
    for (const volume of owner.pod.spec.volumes ?? []) {
      ready.set(volume.name, await told(volume, () => this.#make(volume, owner, signal)));
    }
    return ready;
  }

  /** Brings files up to date with the objects that they show. Fails with `VolumeError`; what cannot be read stays as it is. */
  async refresh(owner: VolumeOwner): Promise<void> {
    const failures: unknown[] = [];
    for (const volume of owner.pod.spec.volumes ?? []) {
      await told(volume, () => this.#refresh(volume, owner)).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Nothing more is made or brought up to date. */
  unfollow(uid: string): void {
    const following = this.#following.get(uid);
    this.#following.delete(uid);
    for (const end of following?.ends ?? []) end();
    following?.stopping.abort();
  }

  /** Removes what the volumes of a pod hold, but for what belongs to the node or to others. */
  async tearDown(uid: string, directory: string): Promise<void> {
    this.unfollow(uid);
    await releaseMemory(directory);
    await rm(directory, { recursive: true, force: true });
  }

  close(): void {
    for (const uid of Array.from(this.#following.keys())) this.unfollow(uid);
  }

  #follow({ pod }: VolumeOwner): Following {
    const { namespace, uid = '' } = pod.metadata;
    const known = this.#following.get(uid);
    if (known) return known;
    const options = this.#options;
    const shown = (pod.spec.volumes ?? []).flatMap((volume) => shownObject(volume) ?? []);
    const ends = shown.map(({ kind, name }) =>
      options.objects.follow(kind, { namespace, name }, () => options.onChange(uid)),
    );
    const following = { ends, stopping: new AbortController() };
    this.#following.set(uid, following);
    return following;
  }

  /** Who reads for a pod waits for no server once nobody wants its volumes any more. */
  #readerFor(signal: AbortSignal | undefined): ReadObject {
    return (kind, name) => this.#options.objects.read(kind, name, signal);
  }

  async #refresh(volume: Volume, owner: VolumeOwner): Promise<void> {
    const following = this.#following.get(owner.pod.metadata.uid ?? '');
    const files = await volumeFiles(volume, owner, this.#readerFor(following?.stopping.signal));
    if (files) await replaceFiles(placeOf(volume, owner), files);
  }

  async #make(volume: Volume, owner: VolumeOwner, signal: AbortSignal): Promise<ReadyVolume> {
    const { clock } = this.#options;
    const hostPath = placeOf(volume, owner);
    const read = this.#readerFor(signal);
    const files = await volumeFiles(volume, owner, read);
    if (files) await replaceFiles(hostPath, files);
    else if (volume.gitRepo) await cloneRepository(volume.gitRepo, hostPath, { clock, signal });
    else if (volume.hostPath) return { hostPath: await useHostPath(volume.hostPath.path), readOnly: false };
    else if (volume.persistentVolumeClaim) return useClaim(volume, owner, read);
    else if (volume.emptyDir?.medium === 'Memory') return this.#useMemory(volume, owner);
    else if (volume.emptyDir) await makeOpenDirectory(hostPath);
    else throw new VolumeError(`volumes of type ${typeOf(volume)} cannot be mounted by this node`);
    return { hostPath, readOnly: false };
  }

  async #useMemory(volume: Volume, owner: VolumeOwner): Promise<ReadyVolume> {
    const hostPath = placeOf(volume, owner);
    const why = await makeMemoryDirectory(hostPath, { bytes: memoryLimitOf(owner.pod) });
    return { hostPath, readOnly: false, ...(why && { warning: `volume ${volume.name} is not in memory: ${why}` }) };
  }
}

async function useClaim(
  { persistentVolumeClaim }: Volume,
  { pod }: VolumeOwner,
  read: ReadObject,
): Promise<ReadyVolume> {
  const { claimName = '', readOnly = false } = persistentVolumeClaim ?? {};
  const { namespace } = pod.metadata;
  const { spec, status } = await read(claimKind, { namespace, name: claimName });
  if (!spec?.volumeName || status?.phase !== 'Bound') {
    throw new VolumeError(`claim ${namespace}/${claimName} is not bound to a volume yet`);
  }
  const volume = await read(volumeKind, { name: spec.volumeName });
  const { claimRef, hostPath } = volume.spec ?? {};
  if (claimRef?.namespace !== namespace || claimRef?.name !== claimName) {
    throw new VolumeError(`volume ${spec.volumeName} is bound to another claim than ${namespace}/${claimName}`);
  }
  if (!hostPath) {
    throw new VolumeError(`volume ${spec.volumeName} has no hostPath, which is all that this node can mount`);
  }
  return { hostPath: await useHostPath(hostPath.path), readOnly };
}

function placeOf({ name }: Volume, { directory }: VolumeOwner): string {
  if (!volumeName.test(name)) throw new VolumeError(`${JSON.stringify(name)} is no name for a volume`);
  return join(directory, name);
}

/** What all containers together may have, where each has a limit: files in memory are no way around that. */
function memoryLimitOf({ spec }: Pod): number | undefined {
  const limits = spec.containers.map(({ resources }) => wholeUnits(resources?.limits?.['memory']));
  return limits.every((limit) => limit > 0) ? limits.reduce((sum, limit) => sum + limit, 0) || undefined : undefined;
}

/** Whoever the containers run as, they can write here. */
async function makeOpenDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o777);
}

/** What is not there becomes a directory, as in the reference. */
async function useHostPath(path: string): Promise<string> {
  if (!isAbsolute(path)) throw new VolumeError(`${JSON.stringify(path)} is no absolute path`);
  await mkdir(path, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    // A file, a socket or a device is what is asked for.
    if (error.code !== 'EEXIST') throw error;
  });
  return path;
}

function typeOf({ name: _name, ...source }: Volume): string {
  return Object.keys(source).join(', ');
}

async function told<T>({ name }: Volume, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isExpected = error instanceof VolumeError || error instanceof ApiError || isSystemError(error);
    if (!isExpected) throw error;
    throw new VolumeError(`volume ${JSON.stringify(name)}: ${error.message}`, { cause: error });
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}
