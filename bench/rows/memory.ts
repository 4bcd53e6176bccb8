import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../figure.ts';
import { startFloor } from '../servers/floor.ts';
import { residentBytes } from '../servers/process-figures.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import { startInMemory, startWherry } from '../servers/wherry-server.ts';
import type { Row } from './row.ts';
import { fill } from './speed-row.ts';

/** After a start or a burst of work a process takes a moment to come to rest. */
const restMs = 1000;

/** What is resident: at rest, and with 10,000 pods. Pages of the database file count, too, though the system can take them back. */
export const memory: Row = {
  name: 'memory',
  about: 'memory at rest and with 10,000 pods',
  async run({ cli }) {
    const server = await startWherry(cli);
    try {
      const floor = await restingMegabytes(await startFloor(server, Buffer.from('{}')), true);
      const inMemory = await restingMegabytes(await startInMemory(cli), true);
      const onDisk = await restingMegabytes(server.process);
      await fill(server, 10_000);
      const filled = await restingMegabytes(server.process);
      return [
        figure('at rest, in memory', inMemory, floor, '< 100 MB'),
        figure('at rest, on disk', onDisk, floor, '< 100 MB'),
        figure('with 10,000 pods, on disk', filled, floor),
      ];
    } finally {
      await server.close();
    }
  },
};

function figure(what: string, wherry: number, floor: number, goal?: string): Figure {
  return { row: 'memory', what: `resident ${what}`, unit: 'MB', wherry, floor, ratio: wherry / floor, goal };
}

async function restingMegabytes(server: ServerProcess, last = false): Promise<number> {
  await sleep(restMs);
  const bytes = residentBytes(server.pid) ?? NaN;
  if (last) await server.stop();
  return bytes / 1024 ** 2;
}
