import { isDeepStrictEqual } from 'node:util';
import type { Clock, Timer } from '../base/clock.ts';
import { backoffMs, type BackoffBounds } from '../client/backoff.ts';
import { keyOf } from '../client/object-name.ts';
import type { Pod } from '../kinds/core/pod.ts';
import { needsOf, type PodNeeds } from './pod-needs.ts';

/** A pod without a node. */
export interface PendingPod {
  readonly pod: Pod;
  readonly needs: PodNeeds;
}

/** How often the cluster has changed in a way that may help a pod. */
interface Changes {
  /** A node came or offers something else than before, or a volume did. */
  nodes: number;
  /** A pod left a node. */
  room: number;
}

interface Entry extends PendingPod {
  pod: Pod;
  needs: PodNeeds;
  attempts: number;
  /** When the last attempt was made, in ticks, and what the cluster was like then. */
  attemptedAt: number;
  seen: Readonly<Changes>;
  /** The attempt failed for a reason that has nothing to do with the cluster. */
  mustRetry: boolean;
}

const backoff: BackoffBounds = { firstMs: 1000, longestMs: 60_000 };
/** Without any change the answer is the same; it is given again from time to time, because events do not live for ever. */
const slowRetryMs = 5 * 60_000;
/** Changes come in bursts. */
const burstMs = 50;

/**
 * Pods that wait for a node. A pod is in one of these states:
 * waiting (in order of arrival) -> taken (the scheduler looks for a node) -> parked (there is none) -> waiting again when the cluster has changed,
 * or gone when it has a node. After each attempt a pod rests, longer each time when pods come and go, always shortly when nodes do.
 */
export class PendingPods {
  readonly #clock: Clock;
  readonly #onWaiting: () => void;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting = new Set<Entry>();
  readonly #parked = new Set<Entry>();
  readonly #changes: Changes = { nodes: 0, room: 0 };
  #timer: { readonly due: number; readonly timer: Timer } | undefined;

  /** `onWaiting` is called whenever a pod begins to wait. */
  constructor(clock: Clock, onWaiting: () => void) {
    this.#clock = clock;
    this.#onWaiting = onWaiting;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** A watch tells of a pod without a node. */
  set(pod: Pod): void {
    const key = keyOf(pod);
    const known = this.#entries.get(key);
    if (known && known.pod.metadata.uid === pod.metadata.uid) return this.#update(known, pod);
    if (known) this.delete(key);
    const entry: Entry = {
      pod,
      needs: needsOf(pod),
      attempts: 0,
      attemptedAt: 0,
      seen: { ...this.#changes },
      mustRetry: false,
    };
    this.#entries.set(key, entry);
    this.#wait(entry);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#waiting.delete(entry);
    this.#parked.delete(entry);
  }

  /** The pod that has waited longest. */
  take(): PendingPod | undefined {
    for (const entry of this.#waiting) {
      this.#waiting.delete(entry);
      entry.attempts++;
      entry.attemptedAt = this.#clock.ticks();
      entry.seen = { ...this.#changes };
      return entry;
    }
    return undefined;
  }

  /** No node can take the pod as things are. Says whether it is still pending. */
  park({ needs }: PendingPod): boolean {
    return this.#park(needs, false);
  }

  /** Something went wrong with the pod: try again after a while, whatever happens until then. */
  retryLater({ needs }: PendingPod): boolean {
    return this.#park(needs, true);
  }

  nodesChanged(): void {
    this.#changes.nodes++;
    this.#look(burstMs);
  }

  roomMade(): void {
    this.#changes.room++;
    this.#look(burstMs);
  }

  close(): void {
    this.#timer?.timer.cancel();
    this.#entries.clear();
    this.#waiting.clear();
    this.#parked.clear();
  }

  /** Only what can lead to another choice counts: that the scheduler noted its failure in the status does not. */
  #update(entry: Entry, pod: Pod): void {
    const { labels, annotations } = entry.pod.metadata;
    const isSame =
      isDeepStrictEqual(labels, pod.metadata.labels) && isDeepStrictEqual(annotations, pod.metadata.annotations);
    entry.pod = pod;
    if (isSame) return;
    entry.needs = needsOf(pod);
    if (this.#parked.delete(entry)) this.#wait(entry);
  }

  #wait(entry: Entry): void {
    entry.mustRetry = false;
    this.#waiting.add(entry);
    this.#onWaiting();
  }

  #park({ key, uid }: PodNeeds, mustRetry: boolean): boolean {
    const entry = this.#entries.get(key);
    if (entry?.needs.uid !== uid) return false;
    entry.mustRetry = mustRetry;
    this.#parked.add(entry);
    this.#look(Math.max(0, this.#dueAt(entry) - this.#clock.ticks()));
    return true;
  }

  /** When a parked pod is tried again, as things are. */
  #dueAt({ attempts, attemptedAt, seen, mustRetry }: Entry): number {
    if (seen.nodes !== this.#changes.nodes) return attemptedAt + backoff.firstMs;
    if (mustRetry || seen.room !== this.#changes.room) return attemptedAt + backoffMs(backoff, attempts);
    return attemptedAt + slowRetryMs;
  }

  /** Looks at parked pods after so long, or before if that is planned already. */
  #look(ms: number): void {
    if (this.#parked.size === 0) return;
    const due = this.#clock.ticks() + ms;
    if (this.#timer && this.#timer.due <= due) return;
    this.#timer?.timer.cancel();
    this.#timer = { due, timer: this.#clock.after(ms, () => this.#wake()) };
  }

  #wake(): void {
    this.#timer = undefined;
    const now = this.#clock.ticks();
    let next = Infinity;
    for (const entry of this.#parked) {
      const due = this.#dueAt(entry);
      if (due <= now) {
        this.#parked.delete(entry);
        this.#wait(entry);
      } else next = Math.min(next, due);
    }
    if (next < Infinity) this.#look(next - now);
  }
}
