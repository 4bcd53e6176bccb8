import type { Container } from '../../kinds/core/pod/container.ts';
import type { ContainerStatus } from '../../kinds/core/pod/container-status.ts';
import { runState } from './container-run.ts';
import type { Waiting } from './next-start.ts';
import type { RunHistory } from './run-history.ts';

/** Where a container is in its life. */
export interface ContainerSituation {
  readonly spec: Container;
  /** As it was last written. */
  readonly old: ContainerStatus | undefined;
  readonly runs: RunHistory;
  /** What keeps it from running: there before its first run, and when something holds back the next. */
  readonly waiting: Waiting | undefined;
  readonly isReady: boolean;
}

/** The status of a container as its node sees it. */
export function containerStatus(situation: ContainerSituation): ContainerStatus {
  const { spec, old, runs, waiting, isReady } = situation;
  const { newest, before, image } = runs;
  const last = waiting ? newest : before;
  return {
    name: spec.name,
    state: waiting || !newest ? { waiting: shownWaiting(waiting) } : runState(newest),
    lastState: last?.exit ? runState(last) : (old?.lastState ?? {}),
    ready: isReady,
    restartCount: newest?.attempt ?? old?.restartCount ?? 0,
    image: (newest && image) ?? spec.image,
    imageID: newest?.imageId ?? '',
    ...(newest && { containerID: newest.id }),
  };
}

function shownWaiting({ reason, message }: Partial<Waiting> = {}): { reason?: string; message?: string } {
  return { reason, ...(message && { message }) };
}
