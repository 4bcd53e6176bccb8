import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { changeObject } from '../../client/change-object.ts';
import type { Reader, Writer } from '../../client/client.ts';
import { nameOf } from '../../client/object-name.ts';
import { WorkQueue } from '../../client/work-queue.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import type { PodStatus } from '../../kinds/core/pod/pod-status.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';

/** A pod that is reported on. */
export interface ReportedPod {
  /** As the API had it last. */
  readonly pod: Pod;
  /** Whether its object can go, once its status is written. */
  readonly isDeletable: boolean;
  /** Its status, beside what others have written into that of `over`. */
  statusOver(over: Pod): PodStatus;
}

export interface PodReportsOptions {
  readonly client: Pick<Reader, 'get'> & Pick<Writer, 'update' | 'updateStatus' | 'delete'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted when nothing is to be reported any more. */
  readonly signal: AbortSignal;
  find(uid: string): ReportedPod | undefined;
}

interface Written {
  readonly status: PodStatus;
  /** The copy of the pod that was known then. */
  readonly over: string | undefined;
}

const backoff = { firstMs: 100, longestMs: 30_000 };
const rate = { perSecond: 100, burst: 1000 };
const parallel = 8;

/** Writes how pods fare, and removes those that have ended and are to go. What cannot be written now is tried again. */
export class PodReports {
  readonly #options: PodReportsOptions;
  readonly #queue: WorkQueue;
  readonly #written = new Map<string, Written>();

  constructor(options: PodReportsOptions) {
    this.#options = options;
    const { clock } = options;
    this.#queue = new WorkQueue({ clock, parallel, backoff, rate, work: (uid) => this.#report(uid) });
  }

  get isBusy(): boolean {
    return !this.#queue.isIdle;
  }

  settled(): Promise<void> {
    return this.#queue.idle();
  }

  /** Something about the pod may have changed. */
  add(uid: string): void {
    this.#queue.add(uid);
  }

  forget(uid: string): void {
    this.#queue.forget(uid);
    this.#written.delete(uid);
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  async #report(uid: string): Promise<void> {
    const reported = this.#options.find(uid);
    if (!reported) return;
    try {
      await this.#writeStatus(uid, reported);
      if (reported.isDeletable) await this.#delete(reported.pod);
      this.#queue.forget(uid);
    } catch (error) {
      // It has gone, and the watch is going to say so.
      if (isApiError(error, 404) || this.#options.signal.aborted) return;
      this.#options.logger.warn('how a pod fares could not be written; trying again', { pod: nameOf(reported.pod), error }); // prettier-ignore
      this.#queue.addRateLimited(uid);
    }
  }

  async #writeStatus(uid: string, reported: ReportedPod): Promise<void> {
    const { client } = this.#options;
    const { pod } = reported;
    const status = reported.statusOver(pod);
    const { resourceVersion: over } = pod.metadata;
    const written = this.#written.get(uid);
    // The copy may not have come to what was written last.
    const isWritten = written?.over === over && isDeepStrictEqual(written?.status, status);
    if (isWritten || isDeepStrictEqual(pod.status, status)) return;
    try {
      await client.updateStatus(podKind, { ...pod, status });
    } catch (error) {
      if (!isApiError(error, 409)) throw error;
      await this.#writeOverNewest(reported);
    }
    this.#written.set(uid, { status, over });
  }

  /** Somebody else wrote, so the copy is too old. */
  async #writeOverNewest(reported: ReportedPod): Promise<void> {
    await changeObject(this.#options.client, {
      kind: podKind,
      name: nameOf(reported.pod),
      part: 'status',
      change(newest) {
        if (newest.metadata.uid !== reported.pod.metadata.uid) return false;
        const status = reported.statusOver(newest);
        if (isDeepStrictEqual(newest.status, status)) return false;
        newest.status = status;
        return true;
      },
    });
  }

  async #delete(pod: Pod): Promise<void> {
    const { uid, deletionGracePeriodSeconds, finalizers = [] } = pod.metadata;
    // It has ended here; somebody else holds it back.
    if (deletionGracePeriodSeconds === 0 && finalizers.length > 0) return;
    await this.#options.client.delete(podKind, nameOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
  }
}
