import type { ContainerStatus } from '../../kinds/core/pod/container-status.ts';
import type { RunningContainer } from '../runtime.ts';
import { runFromStatus, type ContainerRun } from './container-run.ts';

export interface RunHistoryOptions {
  /** What the runtime has of the container. */
  readonly found: readonly RunningContainer[];
  /** What its status says, for what the runtime has lost. */
  readonly status: ContainerStatus | undefined;
  /** The image that the pod's spec names now. */
  readonly image: string;
  readonly now: number;
}

/** The runs of a container that are remembered: the newest one, whether it still runs or has ended, and the one before. */
export class RunHistory {
  #newest: ContainerRun | undefined;
  /** Behind `#newest`, where the runtime has it. */
  #current: RunningContainer | undefined;
  #before: ContainerRun | undefined;
  #image: string | undefined;

  constructor({ found, status, image, now }: RunHistoryOptions) {
    const [newest, older] = [...found].sort((a, b) => b.attempt - a.attempt || b.startedAt - a.startedAt);
    this.#newest = newest ?? runFromStatus(status, now);
    this.#current = newest;
    this.#before = older;
    // A run that its status does not tell of yet was started just before the agent went, as the spec had it.
    this.#image = newest && newest.id !== status?.containerID ? image : status?.image;
  }

  get newest(): ContainerRun | undefined {
    return this.#newest;
  }

  get before(): ContainerRun | undefined {
    return this.#before;
  }

  /** The newest run, while the runtime has it. */
  get current(): RunningContainer | undefined {
    return this.#current;
  }

  /** The run before, while the runtime has it. */
  get previous(): RunningContainer | undefined {
    return this.#before && 'logs' in this.#before ? (this.#before as RunningContainer) : undefined;
  }

  /** The image of the newest run, as the pod's spec named it then. */
  get image(): string | undefined {
    return this.#image;
  }

  get nextAttempt(): number {
    return this.#newest ? this.#newest.attempt + 1 : 0;
  }

  add(running: RunningContainer, image: string): void {
    this.#before = this.#newest;
    this.#newest = running;
    this.#current = running;
    this.#image = image;
  }
}
