import type { RunningContainer } from '../runtime.ts';
import type { AgentParts } from './agent-parts.ts';
import { containersByPod } from './containers-by-pod.ts';

/** What containers are given whose pod is gone, and with it what it said about that. */
const usualGraceMs = 30_000;

interface Orphaned {
  readonly containers: readonly RunningContainer[];
  /** Resolves when nothing of them is left, or that cannot be had. */
  readonly gone: Promise<void>;
}

/** Containers whose pods are not on this node any more: they went while no agent was there. Each is stopped and removed. */
export class Orphans {
  readonly #parts: AgentParts;
  /** By the uid of their pod, until they are gone. */
  readonly #left = new Map<string, Orphaned>();

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

  /** Leaves them no more time than this; resolves when they are gone. */
  async endWithin(graceMs: number): Promise<void> {
    const left = [...this.#left.values()];
    // Whether that works is seen by who waits for their end already.
    for (const { containers } of left) stopAll(containers, graceMs).catch(() => {});
    await Promise.all(left.map(({ gone }) => gone));
  }

  async #end(uid: string, containers: readonly RunningContainer[]): Promise<void> {
    const { logger, work } = this.#parts;
    try {
      await stopAll(containers, usualGraceMs);
      const removed = this.#remove(containers);
      // Unlike the wait for their end, which may take long, what is begun here is brought to its end.
      work.run(() => removed.catch(() => {}));
      await removed;
    } catch (error) {
      logger.error('containers of a pod that is gone could not be removed', { ...containers[0]!.pod, error });
    } finally {
      this.#left.delete(uid);
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
