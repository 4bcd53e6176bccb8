import { formatTime, type Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { changeObject } from '../client/change-object.ts';
import type { Reader, Writer } from '../client/client.ts';
import { keyOf, nameOf } from '../client/object-name.ts';
import { WorkQueue } from '../client/work-queue.ts';
import { pod as podKind, type Pod } from '../kinds/core/pod.ts';
import { conditionOf } from '../kinds/core/pod/pod-state.ts';
import type { PodCondition } from '../kinds/core/pod/pod-status.ts';
import { ApiError } from '../kinds/meta/api-error.ts';

export interface RefusalWriterOptions {
  readonly client: Pick<Reader, 'get'> & Pick<Writer, 'update' | 'updateStatus'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted when the scheduler is to stop. */
  readonly signal: AbortSignal;
}

interface Refusal {
  readonly pod: Pod;
  readonly message: string;
}

const parallel = 8;
const type = 'PodScheduled';

/** Notes in pods that there is no node for them, and why. Of several reasons for one pod only the last is written. */
export class RefusalWriter {
  readonly #options: RefusalWriterOptions;
  readonly #queue: WorkQueue;
  readonly #refusals = new Map<string, Refusal>();

  constructor(options: RefusalWriterOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock, parallel, work: (key) => this.#write(key) });
  }

  get isBusy(): boolean {
    return !this.#queue.isIdle;
  }

  write(pod: Pod, message: string): void {
    const key = keyOf(pod);
    if (conditionOf(pod, type)?.message === message) return void this.#refusals.delete(key);
    this.#refusals.set(key, { pod, message });
    this.#queue.add(key);
  }

  settled(): Promise<void> {
    return this.#queue.idle();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  async #write(key: string): Promise<void> {
    const refusal = this.#refusals.get(key);
    this.#refusals.delete(key);
    if (!refusal) return;
    try {
      await changeObject(this.#options.client, {
        kind: podKind,
        name: nameOf(refusal.pod),
        part: 'status',
        change: (pod) => pod.metadata.uid === refusal.pod.metadata.uid && this.#note(pod, refusal.message),
      });
    } catch (error) {
      // The pod has gone, or changes all the time; if there is still no node for it, the next attempt notes that.
      if (this.#options.signal.aborted || (error instanceof ApiError && error.code < 500)) return;
      this.#options.logger.warn('the status of a pod without a node could not be written', { pod: key, error });
    }
  }

  /** Changes the pod; false when there is nothing to note (any more). */
  #note(pod: Pod, message: string): boolean {
    if (pod.spec.nodeName) return false;
    const old = conditionOf(pod, type);
    if (old?.status === 'False' && old.message === message) return false;
    const since = old?.status === 'False' ? old.lastTransitionTime : undefined;
    const now = formatTime(this.#options.clock.now());
    const condition: PodCondition = {
      type,
      status: 'False',
      lastProbeTime: now,
      lastTransitionTime: since ?? now,
      reason: 'Unschedulable',
      message,
    };
    pod.status.conditions = [...(pod.status.conditions ?? []).filter((other) => other !== old), condition];
    return true;
  }
}
