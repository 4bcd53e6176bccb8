import { Backoff } from '../../client/backoff.ts';
import { pause } from '../../client/pause.ts';
import type { RunningContainer } from '../runtime.ts';
import type { AgentParts } from './agent-parts.ts';
import { containersByPod } from './containers-by-pod.ts';

/** What containers are given whose pod is gone, and with it what it said about that. */
const usualGraceMs = 30_000;
const retries = { firstMs: 1000, longestMs: 5 * 60_000 };

interface Orphaned {
  readonly containers: readonly RunningContainer[];
  /** Resolves when nothing of them is left, or nobody tries any more. */
  readonly gone: Promise<void>;
}

/** Containers whose pods are not on this node any more: they went while no agent was there. Each is stopped and removed, again and again while that fails. */
export class Orphans {
  readonly #parts: AgentParts;
  /** By the uid of their pod, until they are gone. */
  readonly #left = new Map<string, Orphaned>();
  /** Aborted when a failure is the last one: nobody is there to try again. */
  readonly #closing = new AbortController();

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  /** Begins to stop these. */
  take(orphans: readonly RunningContainer[]): void {
    for (const [uid, containers] of containersByPod(orphans)) {
      this.#parts.logger.info('containers of a pod that is gone are stopped', { ...containers[0]!.pod });
      this.#left.set(uid, { containers, gone: this.#end(uid, containers) });
    }
  }

  /** Leaves them no more time than this; resolves when they are gone, or could not be removed once more. */
  async endWithin(graceMs: number): Promise<void> {
    const left = [...this.#left.values()];
    this.close();
    // Whether that works is seen by who waits for their end already.
    for (const { containers } of left) stopAll(containers, graceMs).catch(() => {});
    await Promise.all(left.map(({ gone }) => gone));
    await Promise.all(Array.from(this.#left.values(), ({ containers }) => this.#tryToEnd(containers, graceMs)));
  }

  /** What is not gone by now stays, for the next agent to find. */
  close(): void {
    this.#closing.abort();
  }

  async #end(uid: string, containers: readonly RunningContainer[]): Promise<void> {
    const { signal } = this.#closing;
    const failures = new Backoff(retries);
    while (!signal.aborted) {
      if (await this.#tryToEnd(containers, usualGraceMs)) {
        this.#left.delete(uid);
        return;
      }
      await pause(this.#parts.clock, failures.next(), signal).catch(() => {});
    }
  }

  /** Whether nothing of them is left. */
  async #tryToEnd(containers: readonly RunningContainer[], graceMs: number): Promise<boolean> {
    const { logger, work } = this.#parts;
    try {
      await stopAll(containers, graceMs);
      const removed = this.#remove(containers);
      // Unlike the wait for their end, which may take long, what is begun here is brought to its end.
      work.run(() => removed.catch(() => {}));
      await removed;
      return true;
    } catch (error) {
      logger.error('containers of a pod that is gone could not be removed', { ...containers[0]!.pod, error });
      return false;
    }
  }

  async #remove(containers: readonly RunningContainer[]): Promise<void> {
    for (const container of containers) await container.remove();
    await this.#parts.runtime.releasePod(containers[0]!.pod);
  }
}

async function stopAll(containers: readonly RunningContainer[], graceMs: number): Promise<void> {
  await Promise.all(containers.filter(({ exit }) => !exit).map((container) => container.stop(graceMs)));
}
