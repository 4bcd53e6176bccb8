import type { Pod } from '../kinds/core/pod.ts';

/** A disk that not every two pods can use on one node. */
export interface Disk {
  readonly identity: string;
  /** Pods that only read it can share it. */
  readonly isShareable: boolean;
}

/**
 * Disks of a pod, as the reference tells them apart: those of Google Compute Engine can be shared by readers, those of Amazon and of Ceph by
 * nobody. Images of Ceph are the same when they have any monitor in common, so each monitor makes an identity.
 */
export function disksOf({ spec }: Pod): readonly Disk[] {
  const disks: Disk[] = [];
  for (const { gcePersistentDisk, awsElasticBlockStore, rbd } of spec.volumes ?? []) {
    if (gcePersistentDisk) {
      disks.push({ identity: `gce ${gcePersistentDisk.pdName}`, isShareable: gcePersistentDisk.readOnly === true });
    }
    if (awsElasticBlockStore) disks.push({ identity: `aws ${awsElasticBlockStore.volumeID}`, isShareable: false });
    if (rbd) {
      for (const monitor of rbd.monitors) {
        disks.push({ identity: JSON.stringify(['rbd', monitor, rbd.pool, rbd.image]), isShareable: false });
      }
    }
  }
  return disks;
}

interface Users {
  all: number;
  /** Those that do not share. */
  exclusive: number;
}

/** The disks in use on one node. */
export class DisksInUse {
  readonly #users = new Map<string, Users>();

  /** Whether those who use the disk already keep this use out. */
  isClosed({ identity, isShareable }: Disk): boolean {
    const users = this.#users.get(identity);
    return users !== undefined && (!isShareable || users.exclusive > 0);
  }

  add({ identity, isShareable }: Disk): void {
    let users = this.#users.get(identity);
    if (!users) this.#users.set(identity, (users = { all: 0, exclusive: 0 }));
    users.all++;
    if (!isShareable) users.exclusive++;
  }

  remove({ identity, isShareable }: Disk): void {
    const users = this.#users.get(identity);
    if (!users) return;
    users.all--;
    if (!isShareable) users.exclusive--;
    if (users.all === 0) this.#users.delete(identity);
  }
}
