import type { RunningContainer } from '../runtime.ts';

/** Containers by the uid of their pod. */
export function containersByPod(containers: readonly RunningContainer[]): Map<string, RunningContainer[]> {
  const byPod = new Map<string, RunningContainer[]>();
  for (const container of containers) {
    const { uid } = container.pod;
    const ofPod = byPod.get(uid);
    if (ofPod) ofPod.push(container);
    else byPod.set(uid, [container]);
  }
  return byPod;
}
