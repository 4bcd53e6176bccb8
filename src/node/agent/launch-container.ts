import { untilAborted } from '../../base/until-aborted.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import type { PulledImage, RunningContainer } from '../runtime.ts';
import type { AgentParts } from './agent-parts.ts';
import { planContainer } from './container-plan.ts';
import type { PodSurroundings } from './pod-surroundings.ts';

export interface Launch {
  readonly pod: Pod;
  readonly container: Container;
  readonly surroundings: PodSurroundings;
  readonly image: PulledImage;
  readonly attempt: number;
  /** Gives up before anything is made. */
  readonly signal: AbortSignal;
}

/** Works out what a container is to run with, and lets the runtime start it. Fails with `ConfigError` and `RuntimeError`. */
export async function launchContainer(parts: AgentParts, launch: Launch): Promise<RunningContainer> {
  const { runtime, environment, hostIP } = parts;
  const { pod, container, surroundings, signal } = launch;
  const resolved = environment.resolve(pod, container, { podIP: surroundings.podIP, hostIP });
  // It only reads, maybe from a server that is silent.
  const command = await untilAborted(resolved, signal);
  return runtime.start(planContainer({ ...launch, command }));
}
