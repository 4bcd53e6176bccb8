import { isDeepStrictEqual } from 'node:util';
import type { Writer } from '../../client/client.ts';
import {
  persistentVolumeClaim as claimKind,
  type PersistentVolumeClaim,
} from '../../kinds/core/persistent-volume-claim.ts';
import { persistentVolume as volumeKind, type PersistentVolume } from '../../kinds/core/persistent-volume.ts';
import { boundClaim, boundVolume, freeVolume } from './binding.ts';

type VolumeStatus = NonNullable<PersistentVolume['status']>;
type ClaimStatus = NonNullable<PersistentVolumeClaim['status']>;

/**
 * Writes both sides of a binding. Each write is made from the version that was looked at, so that others who bind the same volume or claim are found
 * out (409), and what says the same already is not written.
 */
export class VolumeWriter {
  readonly #client: Pick<Writer, 'update' | 'updateStatus'>;

  constructor(client: Pick<Writer, 'update' | 'updateStatus'>) {
    this.#client = client;
  }

  /** The volume first: it can have one claim only, so whoever gets it has won. What is left out by a failure in between is made up for later. */
  async bind(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    const taken = await this.#updateVolume(volume, boundVolume(volume, claim));
    const settled = await this.setVolumeStatus(taken, { phase: 'Bound' });
    const wanted = boundClaim(claim, settled);
    const bound = wanted === claim ? claim : await this.#client.update(claimKind, wanted);
    const { accessModes, capacity } = settled.spec ?? {};
    await this.setClaimStatus(bound, { phase: 'Bound', accessModes, capacity });
  }

  async free(volume: PersistentVolume): Promise<void> {
    const freed = await this.#updateVolume(volume, freeVolume(volume));
    await this.setVolumeStatus(freed, { phase: 'Available' });
  }

  async setVolumeStatus(volume: PersistentVolume, status: VolumeStatus): Promise<PersistentVolume> {
    if (isDeepStrictEqual(volume.status, status)) return volume;
    return this.#client.updateStatus(volumeKind, { ...volume, status });
  }

  async setClaimStatus(claim: PersistentVolumeClaim, status: ClaimStatus): Promise<void> {
    if (!isDeepStrictEqual(claim.status, status)) await this.#client.updateStatus(claimKind, { ...claim, status });
  }

  async #updateVolume(volume: PersistentVolume, wanted: PersistentVolume): Promise<PersistentVolume> {
    return wanted === volume ? volume : this.#client.update(volumeKind, wanted);
  }
}
