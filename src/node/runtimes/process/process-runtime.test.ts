import { join } from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { randomIds } from '../../../base/ids.ts';
import { silentLogger } from '../../../base/logger.ts';
import { runtimeSuite } from '../runtime-suite.ts';
import { openProcessRuntime } from './open-process-runtime.ts';

runtimeSuite('process runtime', (directory) =>
  openProcessRuntime({
    directory,
    addressRegistry: join(directory, '../addresses'),
    clock: systemClock,
    ids: randomIds,
    logger: silentLogger,
  }),
);
