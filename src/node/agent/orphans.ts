import type { RunningContainer } from '../runtime.ts';
import type { AgentParts } from './agent-parts.ts';
import { containersByPod } from './containers-by-pod.ts';

/** What containers are given whose pod is gone, and with it what it said about that. */
const graceMs = 30_000;

/** Stops and removes containers whose pods are not on this node any more: they went while no agent was there. */
export function stopOrphans(parts: AgentParts, containers: readonly RunningContainer[]): void {
  const { logger, work } = parts;
  for (const ofPod of containersByPod(containers).values()) {
    const { pod } = ofPod[0]!;
    logger.info('containers of a pod that is gone are stopped', { ...pod });
    const fail = (error: unknown): void =>
      logger.error('containers of a pod that is gone could not be removed', { ...pod, error });
    stopAll(ofPod).then(() => work.run(() => removeAll(parts, ofPod).catch(fail)), fail);
  }
}

async function stopAll(containers: readonly RunningContainer[]): Promise<void> {
  await Promise.all(containers.filter(({ exit }) => !exit).map((container) => container.stop(graceMs)));
}

async function removeAll({ runtime }: AgentParts, containers: readonly RunningContainer[]): Promise<void> {
  for (const container of containers) await container.remove();
  await runtime.releasePod(containers[0]!.pod);
}
