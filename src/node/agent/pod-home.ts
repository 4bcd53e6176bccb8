import type { Pod } from '../../kinds/core/pod.ts';
import type { PodId, PodPlace } from '../runtime.ts';
import type { HostedContainer } from '../server/hosted-pods.ts';
import { volumesOf, type VolumeOwner } from '../volumes/volume.ts';
import type { AgentParts } from './agent-parts.ts';
import type { PodSurroundings } from './pod-surroundings.ts';
import { RetriedTask } from './retried-task.ts';

export interface PodHomeOptions {
  readonly parts: AgentParts;
  readonly id: PodId;
  /** The pod as the API has it now. */
  readonly getPod: () => Pod;
  readonly onReady: (surroundings: PodSurroundings) => void;
  /** It could not be made ready, and is tried again. */
  readonly onFailure: (error: unknown) => void;
  /** Something that was under way has ended. */
  readonly wake: () => void;
}

const prepareRetries = { firstMs: 500, longestMs: 2 * 60_000 };
const refreshRetries = { firstMs: 1000, longestMs: 2 * 60_000 };
const removeRetries = { firstMs: 1000, longestMs: 5 * 60_000 };

/** What a pod has on its machine: an address, a directory and volumes. */
export class PodHome {
  readonly #options: PodHomeOptions;
  readonly #preparing: RetriedTask;
  readonly #refreshing: RetriedTask;
  readonly #removing: RetriedTask;
  #place: PodPlace | undefined;
  #containers: readonly HostedContainer[] = [];
  #isRemoved = false;
  #hasRemovalFailed = false;
  /** Whether files may show what is not so any more. */
  #isStale = false;

  constructor(options: PodHomeOptions) {
    this.#options = options;
    const { wake: onEnd, onFailure, id } = options;
    const { clock, work, logger } = options.parts;
    this.#preparing = new RetriedTask({
      clock,
      work,
      retries: prepareRetries,
      act: () => this.#makeReady(),
      onFailure,
      onEnd,
    });
    this.#refreshing = new RetriedTask({
      clock,
      work,
      retries: refreshRetries,
      act: () => this.#refreshFiles(),
      onFailure: (error) => {
        this.#isStale = true;
        logger.warn('the files of a volume could not be brought up to date; trying again', { ...id, error });
      },
      onEnd,
    });
    this.#removing = new RetriedTask({
      clock,
      work,
      retries: removeRetries,
      act: () => this.#removeAll(),
      onFailure: (error) => {
        this.#hasRemovalFailed = true;
        logger.warn('what a pod has left could not be removed', { ...id, error });
      },
      onEnd,
    });
  }

  /** Whether the pod was given its address and its directory. */
  get isThere(): boolean {
    return this.#place !== undefined;
  }

  get isPreparing(): boolean {
    return this.#preparing.isUnderWay;
  }

  get isRemoved(): boolean {
    return this.#isRemoved;
  }

  /** Whether something stood in the way when it was last tried. */
  get hasRemovalFailed(): boolean {
    return this.#hasRemovalFailed && !this.#removing.isUnderWay;
  }

  /** The address that the pod has, or had when it was last reported. */
  get podIP(): string | undefined {
    const { spec, status } = this.#options.getPod();
    return spec.hostNetwork ? this.#options.parts.hostIP : (this.#place?.ip ?? status.podIP);
  }

  /** Begins to make all that is not there yet; gives the moment when that can be tried again, Infinity while it is under way. */
  prepare(): number {
    return this.#preparing.begin();
  }

  /** What its volumes show has changed. */
  markStale(): void {
    this.#isStale = true;
    this.#refreshing.hasten();
  }

  /** Begins to bring the files of volumes up to date where they are not. Gives moments as `prepare` does. */
  refresh(): number {
    return this.#isStale ? this.#refreshing.begin() : Infinity;
  }

  /** What kept it from being removed counts no more. */
  hastenRemoval(): void {
    this.#hasRemovalFailed = false;
    this.#removing.hasten();
  }

  /** Begins to remove everything, with what is left of the pod's containers, which have ended. Gives moments as `prepare` does. */
  remove(containers: readonly HostedContainer[]): number {
    if (this.#refreshing.isUnderWay) return Infinity;
    this.#containers = containers;
    return this.#removing.begin();
  }

  async #makeReady(): Promise<void> {
    const { parts, getPod, onReady } = this.#options;
    const place = (this.#place ??= await parts.runtime.preparePod(getPod()));
    const owner = this.#ownerAt(place);
    // Before: what changes on the way may come too late for files that are written first.
    this.#isStale = false;
    const volumes = await parts.volumes.setUp(owner);
    onReady({ place, podIP: owner.whereabouts.podIP, volumes });
  }

  async #refreshFiles(): Promise<void> {
    this.#isStale = false;
    if (this.#place) await this.#options.parts.volumes.refresh(this.#ownerAt(this.#place));
  }

  async #removeAll(): Promise<void> {
    const { parts, id } = this.#options;
    // A pod that was never made ready may have a place from an earlier agent.
    if (this.#place) await parts.volumes.tearDown(id.uid, volumesOf(this.#place.directory));
    for (const { current, previous } of this.#containers) {
      await current?.remove();
      await previous?.remove();
    }
    await parts.runtime.releasePod(id);
    this.#isRemoved = true;
  }

  #ownerAt({ directory, ip }: PodPlace): VolumeOwner {
    const { parts, getPod } = this.#options;
    const whereabouts = { podIP: this.podIP ?? ip, hostIP: parts.hostIP };
    return { pod: getPod(), directory: volumesOf(directory), whereabouts };
  }
}
