import { median } from '../figure.ts';
import { startFloor } from '../servers/floor.ts';
import { startInMemory, startWherry } from '../servers/wherry-server.ts';
import type { Row } from './row.ts';

/** From the start of the process to the line that says it is ready. */
export const start: Row = {
  name: 'start',
  about: 'be ready after a start, in memory',
  async run({ cli, effort }) {
    const beside = await startWherry(cli);
    try {
      const [own, bare]: [number[], number[]] = [[], []];
      for (let i = 0; i < effort.starts; i++) {
        for (const [times, begin] of [
          [own, () => startInMemory(cli)],
          [bare, () => startFloor(beside, Buffer.from('{}'))],
        ] as const) {
          const server = await begin();
          times.push(server.readyMs);
          await server.stop();
        }
      }
      const [wherry, floor] = [median(own), median(bare)];
      return [{ row: 'start', what: start.about, unit: 'ms', wherry, floor, ratio: wherry / floor, goal: '< 500 ms' }];
    } finally {
      await beside.close();
    }
  },
};
