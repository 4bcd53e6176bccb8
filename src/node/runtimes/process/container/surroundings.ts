import type { Clock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/logger.ts';
import type { Cgroup } from '../cgroups/cgroups.ts';
import type { HostTools } from '../host-tools.ts';
import type { LogLimits } from '../logs/log-writer.ts';
import type { ProcessTable } from '../proc/process-table.ts';
import type { ContainerRecord } from './container-record.ts';

/** What a container uses of the runtime that it belongs to. */
export interface ContainerSurroundings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tools: HostTools;
  readonly table: ProcessTable;
  readonly boot: string;
  readonly pageSize: number;
  readonly logLimits: LogLimits;
  /** The group through which its limits are held; nothing for a container without limits. */
  cgroupOf(record: ContainerRecord): Promise<Cgroup | undefined>;
  /** It is removed. */
  forget(container: { readonly record: ContainerRecord }): void;
}
