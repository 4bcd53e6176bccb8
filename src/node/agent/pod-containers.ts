import type { Pod } from '../../kinds/core/pod.ts';
import type { ContainerStatus } from '../../kinds/core/pod/container-status.ts';
import type { RunningContainer } from '../runtime.ts';
import type { AgentParts } from './agent-parts.ts';
import { ContainerWorker } from './container-worker.ts';
import type { PodSurroundings } from './pod-surroundings.ts';

export interface PodContainersOptions {
  readonly parts: AgentParts;
  readonly pod: Pod;
  /** Those that the runtime has already. */
  readonly found: readonly RunningContainer[];
  /** Something happened that the pod should look at. */
  readonly wake: () => void;
}

/** The containers of a pod, each with its worker. One at a time is started, in the order of the pod's spec. */
export class PodContainers {
  readonly list: readonly ContainerWorker[];
  readonly #options: PodContainersOptions;
  #isStarting = false;

  constructor(options: PodContainersOptions) {
    this.#options = options;
    const { parts, pod, found, wake } = options;
    this.list = pod.spec.containers.map(({ name }) => {
      const own = found.filter((container) => container.name === name);
      return new ContainerWorker({ parts, pod, name, found: own, wake });
    });
  }

  get isAnyRunning(): boolean {
    return this.list.some(({ state }) => state === 'running');
  }

  /** Whether nothing runs and nothing will. */
  get haveEnded(): boolean {
    return !this.#isStarting && this.list.every(({ state }) => state === 'ended');
  }

  statuses(): ContainerStatus[] {
    return this.list.map((container) => container.status());
  }

  update(pod: Pod): void {
    for (const container of this.list) container.update(pod);
  }

  settleIn(surroundings: PodSurroundings): void {
    for (const container of this.list) container.settleIn(surroundings);
  }

  look(): void {
    for (const container of this.list) container.look();
  }

  /** Starts the first one that is due; gives the moment when the next one will be. */
  startDue(): number {
    const { clock, work } = this.#options.parts;
    const next = this.list.find(({ startsAt }) => startsAt <= clock.now());
    if (next && !this.#isStarting) work.run(() => this.#start(next));
    // What is due while another one is started gets its turn after that.
    const later = this.list.map(({ startsAt }) => startsAt).filter((at) => at > clock.now());
    return Math.min(Infinity, ...later);
  }

  /** All are to end for good, within this time. May be called again with less. */
  end(graceMs: number, why: string): void {
    for (const container of this.list) container.end(graceMs, why);
  }

  /** Lets go of them; what runs goes on. */
  close(): void {
    for (const container of this.list) container.close();
  }

  async #start(container: ContainerWorker): Promise<void> {
    this.#isStarting = true;
    await container.start();
    this.#isStarting = false;
    this.#options.wake();
  }
}
