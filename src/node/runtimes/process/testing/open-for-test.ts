import { join } from 'node:path';
import { systemClock } from '../../../../base/clock.ts';
import { randomIds } from '../../../../base/ids.ts';
import { silentLogger } from '../../../../base/logger.ts';
import type { Runtime } from '../../../runtime.ts';
import { openProcessRuntime } from '../open-process-runtime.ts';
import type { ProcessRuntimeOptions } from '../process-runtime-options.ts';

/** Opens a runtime that shares nothing with others of this machine. */
export function openForTest(directory: string, options: Partial<ProcessRuntimeOptions> = {}): Promise<Runtime> {
  return openProcessRuntime({
    directory,
    addressRegistry: join(directory, '../addresses'),
    clock: systemClock,
    ids: randomIds,
    logger: silentLogger,
    ...options,
  });
}
