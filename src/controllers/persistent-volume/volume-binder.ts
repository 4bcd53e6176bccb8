import { BoundedMap } from '../../client/bounded-map.ts';
import { ifThere } from '../../client/if-there.ts';
import type { Informer } from '../../client/informer.ts';
import { keyOf, nameOf, parseKey } from '../../client/object-name.ts';
import {
  persistentVolumeClaim as claimKind,
  type PersistentVolumeClaim,
} from '../../kinds/core/persistent-volume-claim.ts';
import { persistentVolume as volumeKind, type PersistentVolume } from '../../kinds/core/persistent-volume.ts';
import type { Again, Controller, ControllerContext } from '../loop/controller.ts';
import { changesMapped, type KeySource } from '../loop/key-source.ts';
import { belongsTo, claimKeyOf, claimKeys, isBound, isFree } from './binding.ts';
import { findVolume, whyUnfit } from './find-volume.ts';
import { reclaim, type Reclaimed, type ReclaimOptions } from './reclaim.ts';
import { VolumeWriter } from './volume-writer.ts';

/** What could not be reclaimed is tried again so much later. */
const reclaimAgainMs = 60_000;

const rememberedFailures = 1000;

const claimPrefix = 'claim ';
const volumePrefix = 'volume ';

/** Binds claims to volumes that offer what they ask for, and reclaims volumes whose claims are gone. */
export function volumeBinder(options: ReclaimOptions = {}): Controller {
  return {
    name: 'persistentvolume-binder',
    start(context) {
      const claims = context.informers.of(claimKind);
      const volumes = context.informers.of(volumeKind);
      const binder = new VolumeBinder({ context, options, claims, volumes });
      return {
        sources: [changesMapped(claims, (claim) => binder.keysAround(claim)), binder.volumeChanges()],
        reconcile: (key) => binder.reconcile(key),
      };
    },
  };
}

interface BinderParts {
  readonly context: ControllerContext;
  readonly options: ReclaimOptions;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly volumes: Informer<PersistentVolume>;
}

/**
 * A claim is pending -> bound -> lost (when its volume goes). A volume is available -> bound -> released (when its claim goes) -> available again,
 * deleted or failed, as its reclaim policy says.
 */
class VolumeBinder {
  readonly #parts: BinderParts;
  readonly #writer: VolumeWriter;
  /** When volumes could last not be reclaimed, in ticks, by uid and policy. */
  readonly #failures = new BoundedMap<string, number>(rememberedFailures);
  /** Keys of the claims that had no volume when they were last looked at, and named none. */
  readonly #unserved = new Set<string>();

  constructor(parts: BinderParts) {
    this.#parts = parts;
    this.#writer = new VolumeWriter(parts.context.client);
  }

  keysAround(claim: PersistentVolumeClaim): string[] {
    const { volumes } = this.#parts;
    const names = volumes.index(claimKeys).get(keyOf(claim)).map(keyOf);
    if (claim.spec?.volumeName) names.push(claim.spec.volumeName);
    return [claimPrefix + keyOf(claim), ...names.map((name) => volumePrefix + name)];
  }

  /** A free volume may be what any claim waits for that was looked at before; others are yet to be looked at anyway. */
  volumeChanges(): KeySource {
    const { volumes } = this.#parts;
    return {
      synced: volumes.synced,
      subscribe: (enqueue) => {
        const give = (volume: PersistentVolume): void => this.#keysAroundVolume(volume).forEach(enqueue);
        const offer = (volume: PersistentVolume): void => {
          give(volume);
          if (isFree(volume)) this.#unserved.forEach(enqueue);
        };
        return volumes.on({
          added: offer,
          updated(old, volume) {
            give(old);
            offer(volume);
          },
          deleted: give,
        });
      },
    };
  }

  #keysAroundVolume(volume: PersistentVolume): string[] {
    const keys = this.#parts.claims.index(volumeNames).get(keyOf(volume)).map(keyOf);
    const own = claimKeyOf(volume);
    if (own !== undefined) keys.push(own);
    return [volumePrefix + keyOf(volume), ...keys.map((key) => claimPrefix + key)];
  }

  async reconcile(key: string): Promise<Again | void> {
    const { claims, volumes } = this.#parts;
    if (key.startsWith(claimPrefix)) {
      const claim = claims.get(key.slice(claimPrefix.length));
      if (claim && !isBound(claim)) return this.#syncPending(claim);
      this.#unserved.delete(key);
      return claim && this.#syncBound(claim);
    }
    const volume = volumes.get(key.slice(volumePrefix.length));
    if (volume) return this.#syncVolume(volume);
  }

  async #syncPending(claim: PersistentVolumeClaim): Promise<void> {
    if (claim.metadata.deletionTimestamp !== undefined) return;
    const { volumes } = this.#parts;
    const chosen = claim.spec?.volumeName;
    if (!chosen) this.#unserved.add(claimPrefix + keyOf(claim));
    const volume = chosen ? volumes.get(chosen) : findVolume(claim, volumes);
    const obstacle = volume ? obstacleTo(claim, volume) : undefined;
    if (volume && obstacle === undefined) return this.#writer.bind(volume, claim);
    const why =
      obstacle ?? (chosen ? `there is no volume ${chosen} yet` : 'no volume that is free offers what it asks for');
    this.#tell(claim, 'FailedBinding', `The claim stays unbound: ${why}`);
    await this.#writer.setClaimStatus(claim, { phase: 'Pending' });
  }

  async #syncBound(claim: PersistentVolumeClaim): Promise<void> {
    const { volumeName = '' } = claim.spec ?? {};
    const volume = volumeName
      ? (this.#parts.volumes.get(volumeName) ?? (await this.#readVolume(volumeName)))
      : undefined;
    if (volume && (!volume.spec?.claimRef || belongsTo(volume, claim))) return this.#writer.bind(volume, claim);
    if (claim.status?.phase !== 'Lost') {
      const [reason, why] = volume
        ? ['ClaimMisbound', `its volume ${volumeName} is bound to another claim`]
        : ['ClaimLost', `its volume ${volumeName} is gone, and what was on it is lost`];
      this.#tell(claim, reason, `The claim is lost: ${why}`);
    }
    await this.#writer.setClaimStatus(claim, { phase: 'Lost' });
  }

  async #syncVolume(volume: PersistentVolume): Promise<Again | void> {
    const reference = volume.spec?.claimRef;
    // Kept for a claim by its user, it is still to be had by that claim.
    if (!reference?.uid) return void (await this.#writer.setVolumeStatus(volume, { phase: 'Available' }));
    const claim = await this.#findClaim(volume);
    if (!claim) return this.#release(volume);
    // Bound from this side only: the claim, which is looked at as well, completes it.
    if (!claim.spec?.volumeName) return;
    if (claim.spec.volumeName === volume.metadata.name) {
      await this.#writer.setVolumeStatus(volume, { phase: 'Bound' });
      return;
    }
    await this.#writer.free(volume);
  }

  async #release(volume: PersistentVolume): Promise<Again | void> {
    const { options, context } = this.#parts;
    const { uid, name } = volume.metadata;
    const attempt = `${uid} ${volume.spec?.persistentVolumeReclaimPolicy}`;
    const waitMs = (this.#failures.get(attempt) ?? -Infinity) + reclaimAgainMs - context.clock.ticks();
    if (waitMs > 0) return { after: waitMs };
    const released =
      volume.status?.phase === 'Failed' ? volume : await this.#writer.setVolumeStatus(volume, { phase: 'Released' });
    // What follows cannot be undone. Nothing was written that a change in between would have refused, so the server is asked.
    if (released === volume && !(await this.#isUnchanged(volume))) return;
    const reclaimed = await reclaim(released, options);
    if (reclaimed.outcome === 'failed') {
      this.#failures.set(attempt, context.clock.ticks());
      await this.#fail(released, reclaimed);
      return { after: reclaimAgainMs };
    }
    if (reclaimed.outcome === 'emptied') {
      context.events.record(volume, 'Normal', 'VolumeRecycled', `Volume ${name} is empty and free again`);
      await this.#writer.free(released);
    } else if (reclaimed.outcome === 'deleted') {
      await ifThere(context.client.delete(volumeKind, nameOf(volume), { preconditions: { uid } }));
    } else if (released.status?.phase === 'Failed') {
      await this.#writer.setVolumeStatus(released, { phase: 'Released' });
    }
  }

  async #fail(volume: PersistentVolume, { reason, message }: Extract<Reclaimed, { outcome: 'failed' }>): Promise<void> {
    this.#parts.context.events.record(volume, 'Warning', reason, message);
    await this.#writer.setVolumeStatus(volume, { phase: 'Failed', reason, message });
  }

  /** The claim that a volume is bound to. Before it counts as gone, the server itself is asked. */
  async #findClaim(volume: PersistentVolume): Promise<PersistentVolumeClaim | undefined> {
    const key = claimKeyOf(volume) ?? '';
    const known = this.#parts.claims.get(key);
    if (known && belongsTo(volume, known)) return known;
    const claim = await ifThere(this.#parts.context.client.get(claimKind, parseKey(key)));
    return claim && belongsTo(volume, claim) ? claim : undefined;
  }

  #readVolume(name: string): Promise<PersistentVolume | undefined> {
    return ifThere(this.#parts.context.client.get(volumeKind, { name }));
  }

  async #isUnchanged({ metadata: { name = '', resourceVersion } }: PersistentVolume): Promise<boolean> {
    return (await this.#readVolume(name))?.metadata.resourceVersion === resourceVersion;
  }

  #tell(claim: PersistentVolumeClaim, reason: string, message: string): void {
    this.#parts.context.events.record(claim, reason === 'FailedBinding' ? 'Normal' : 'Warning', reason, message);
  }
}

/** Why a claim cannot have this volume; nothing when it can. */
function obstacleTo(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  const { name } = volume.metadata;
  if (volume.spec?.claimRef && !belongsTo(volume, claim)) return `volume ${name} is bound to another claim`;
  const unfit = whyUnfit(volume, claim);
  return unfit && `volume ${name} does not fit: ${unfit}`;
}

/** The volume of a claim, as an index takes it. */
function volumeNames({ spec }: PersistentVolumeClaim): readonly string[] {
  return spec?.volumeName ? [spec.volumeName] : [];
}
