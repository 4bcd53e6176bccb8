import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { EventRecorder } from '../../client/event-recorder.ts';
import type { ContainerEnvironment } from '../environment/container-environment.ts';
import type { HostPorts } from '../host-ports/host-ports.ts';
import type { Runtime } from '../runtime.ts';
import type { PodVolumes } from '../volumes/pod-volumes.ts';
import type { WorkTracker } from './work-tracker.ts';

/** What all workers of an agent share. */
export interface AgentParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly runtime: Runtime;
  readonly environment: ContainerEnvironment;
  readonly volumes: PodVolumes;
  readonly hostPorts: HostPorts;
  readonly work: WorkTracker;
  /** Address of the node, as pods show it. */
  readonly hostIP: string;
}
