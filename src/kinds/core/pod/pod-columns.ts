import { ageColumn, nameColumn, none, type Column } from '../../column.ts';
import type { Pod } from '../pod.ts';
import type { ContainerStatus } from './container-status.ts';

/** A container that runs and is ready. */
function isUp({ ready, state }: ContainerStatus): boolean {
  return ready && state?.running !== undefined;
}

/** Why a container does not run; nothing when that is not known or it does. */
function troubleOf({ state }: ContainerStatus): string | undefined {
  if (state?.waiting?.reason) return state.waiting.reason;
  const ended = state?.terminated;
  if (!ended) return undefined;
  return ended.reason || (ended.signal ? `Signal:${ended.signal}` : `ExitCode:${ended.exitCode}`);
}

/** One word for how the pod fares: the first container that does not run tells more than the phase. */
export function podSummary({ metadata, status }: Pod): string {
  if (metadata.deletionTimestamp) return status.reason === 'NodeLost' ? 'Unknown' : 'Terminating';
  const containers = status.containerStatuses ?? [];
  const trouble = containers.map(troubleOf).find((reason) => reason !== undefined);
  // Where one container is done and another still serves, the pod as a whole runs.
  if (trouble === 'Completed' && containers.some(isUp)) return isReady(status) ? 'Running' : 'NotReady';
  return trouble ?? status.reason ?? status.phase ?? '';
}

function isReady({ conditions = [] }: Pod['status']): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

export const podColumns: readonly Column<Pod>[] = [
  nameColumn,
  {
    name: 'Ready',
    description: 'How many of the containers are ready.',
    read: ({ spec, status }) => `${(status.containerStatuses ?? []).filter(isUp).length}/${spec.containers.length}`,
  },
  { name: 'Status', description: 'How the pod fares, in one word.', read: podSummary },
  {
    name: 'Restarts',
    description: 'How often containers were started again.',
    type: 'integer',
    read: ({ status }) => (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0),
  },
  ageColumn,
  { name: 'IP', description: 'Address of the pod.', wide: true, read: ({ status }) => status.podIP ?? none },
  { name: 'Node', description: 'Node that the pod is on.', wide: true, read: ({ spec }) => spec.nodeName ?? none },
];
