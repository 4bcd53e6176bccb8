import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '../../base/clock.ts';
import type { Informer } from '../../client/informer.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { job as jobKind, type Job, type JobCondition, type JobStatus } from '../../kinds/extensions/job.ts';
import type { Again, ControllerContext } from '../loop/controller.ts';
import { OwnWrites } from '../loop/own-writes.ts';
import { claimObjects } from '../ownership/claim-objects.ts';
import { claimCandidates } from '../ownership/owned-index.ts';
import { ownSelectorPicks, possibleOwners } from '../ownership/possible-owners.ts';
import { compareForDeletion } from '../pods/deletion-order.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { PodWriter } from '../pods/pod-writer.ts';
import { FailureBackoff } from './failure-backoff.ts';
import { activeWanted, hasEnded, isComplete, sortPods, timeLeft, type JobPods } from './job-progress.ts';

/** When to look again for writes of our own that no event told of. */
const unseenMs = 1000;
/** So many pods are made or deleted in one go; the rest follows when those are seen. */
const mostAtOnce = 500;

export interface JobSyncParts {
  readonly context: ControllerContext;
  readonly owners: Informer<Job>;
  readonly pods: Informer<Pod>;
}

/** Makes the pods that a job still needs, and notes when it has ended. A job that has ended is left alone. */
export class JobSync {
  readonly #parts: JobSyncParts;
  readonly #ownWrites: OwnWrites<Pod>;
  readonly #writer: PodWriter;
  readonly #backoff: FailureBackoff;

  constructor(parts: JobSyncParts) {
    this.#parts = parts;
    this.#ownWrites = new OwnWrites(parts.pods);
    this.#writer = new PodWriter(parts.context, this.#ownWrites);
    this.#backoff = new FailureBackoff(parts.context.clock);
  }

  ownersOf(pod: Pod): readonly string[] {
    return possibleOwners(pod, { informer: this.#parts.owners, getSelector: ({ spec }) => spec.selector });
  }

  async reconcile(key: string): Promise<Again | void> {
    const job = this.#parts.owners.get(key);
    if (!job || hasEnded(job)) {
      this.#ownWrites.forget(key);
      this.#backoff.forget(key);
      return;
    }
    // Asked before the pods are looked at, so that they are at least as new as the answer.
    const seesOwnWrites = this.#ownWrites.areSeen(key);
    const pods = sortPods(await this.#claim(job));
    const now = this.#parts.context.clock.now();
    const startTime = job.status?.startTime ?? formatTime(now);
    const left = timeLeft(job, Date.parse(startTime), now);
    if (left === 0) return this.#timeOut(job, pods, startTime);
    const mayAct = seesOwnWrites && job.metadata.deletionTimestamp === undefined;
    const work = mayAct ? await this.#work(key, job, pods) : { wait: seesOwnWrites ? Infinity : unseenMs };
    const isDone = mayAct && !work.error && isComplete(job, pods);
    await this.#updateStatus(job, { ...this.#statusOf(job, pods, startTime), ...(isDone && this.#ending(job)) });
    if (isDone) this.#tellOfSurplus(job, pods);
    if (work.error) throw work.error;
    const wait = Math.min(left, work.wait);
    if (wait < Infinity) return { after: wait };
  }

  #claim(owner: Job): Promise<Pod[]> {
    const { context, pods } = this.#parts;
    return claimObjects({
      client: context.client,
      owner,
      ownerKind: jobKind,
      kind: podKind,
      selects: (labels) => ownSelectorPicks(owner.spec.selector, labels),
      candidates: claimCandidates(pods, owner),
    });
  }

  /** Makes or deletes pods. Says how long it must wait with more, and what went wrong, which is told after the status. */
  async #work(key: string, job: Job, pods: JobPods): Promise<{ wait: number; error?: unknown }> {
    const missing = activeWanted(job, pods) - pods.active.length;
    const count = Math.min(Math.abs(missing), mostAtOnce);
    const wait = this.#backoff.waitFor(key, pods);
    if (missing > 0 && wait > 0) return { wait };
    try {
      if (missing < 0) await this.#writer.delete(job, pods.active.toSorted(compareForDeletion).slice(0, count));
      if (missing > 0) await this.#writer.create(job, this.#newPods(job, count));
      return { wait: Infinity };
    } catch (error) {
      return { wait: Infinity, error };
    }
  }

  #newPods(job: Job, count: number): Pod[] {
    const pod = podFromTemplate(job.spec.template, { kind: jobKind, object: job });
    return Array.from({ length: count }, () => pod);
  }

  #statusOf({ status }: Job, { active, succeeded, failed }: JobPods, startTime: string): JobStatus {
    const counts = { active: active.length, succeeded: succeeded.length, failed: failed.length };
    return { ...counts, startTime, conditions: status?.conditions ?? [] };
  }

  /** What the status of a job that is done says besides. Pods that were too many have been told to end. */
  #ending({ status }: Job): JobStatus {
    const completionTime = formatTime(this.#parts.context.clock.now());
    return { active: 0, completionTime, conditions: [...(status?.conditions ?? []), this.#condition('Complete')] };
  }

  /** Ends a job that takes too long. Its pods that were active have failed with it. */
  async #timeOut(job: Job, { active, succeeded, failed }: JobPods, startTime: string): Promise<void> {
    await this.#writer.delete(job, active);
    const message = 'Job was active longer than specified deadline';
    const condition = { ...this.#condition('Failed'), reason: 'DeadlineExceeded', message };
    await this.#updateStatus(job, {
      active: 0,
      succeeded: succeeded.length,
      failed: failed.length + active.length,
      startTime,
      conditions: [...(job.status?.conditions ?? []), condition],
    });
    this.#parts.context.events.record(job, 'Normal', 'DeadlineExceeded', message);
  }

  /** Pods of somebody else that its selector picks, say. */
  #tellOfSurplus(job: Job, { succeeded }: JobPods): void {
    const { completions = succeeded.length } = job.spec;
    if (succeeded.length <= completions) return;
    const message = `${succeeded.length} pods have succeeded where ${completions} were to`;
    this.#parts.context.events.record(job, 'Warning', 'TooManySucceededPods', message);
  }

  #condition(type: 'Complete' | 'Failed'): JobCondition {
    const now = formatTime(this.#parts.context.clock.now());
    return { type, status: 'True', lastProbeTime: now, lastTransitionTime: now };
  }

  async #updateStatus(job: Job, status: JobStatus): Promise<void> {
    const known = { active: 0, succeeded: 0, failed: 0, conditions: [], ...job.status };
    if (isDeepStrictEqual(status, known)) return;
    await this.#parts.context.client.updateStatus(jobKind, { ...job, status });
  }
}
