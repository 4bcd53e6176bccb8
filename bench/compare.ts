import { ClosingList } from '../src/cluster/closing-list.ts';
import { median } from './figure.ts';
import { LoadProcess } from './load/load-process.ts';
import type { Plan } from './load/plan.ts';
import type { Effort } from './options.ts';
import { startFloor } from './servers/floor.ts';
import { cpuMs } from './servers/process-figures.ts';
import type { ServerProcess } from './servers/server-process.ts';
import type { WherryServer } from './servers/wherry-server.ts';

export interface Comparison {
  /** Per second, the median of all rounds. */
  readonly wherry: number;
  readonly floor: number;
  /** The median of the ratios of neighbouring rounds, which the noise of the machine hits alike. */
  readonly ratio: number;
  readonly cpuRatio?: number;
}

interface Side {
  readonly load: LoadProcess;
  readonly pid: number;
  readonly rates: number[];
  count: number;
  cpu: number;
}

/** Puts the same load on a server and on its floor, in turns. */
export async function compare(
  server: WherryServer,
  answer: Buffer,
  plan: Omit<Plan, 'access'>,
  effort: Effort,
): Promise<Comparison> {
  const opened = new ClosingList();
  async function open({ port, pid }: ServerProcess): Promise<Side> {
    const load = await LoadProcess.start({ ...plan, access: { ...server.access, port } });
    opened.add(() => load.close());
    return { load, pid, rates: [], count: 0, cpu: 0 };
  }
  try {
    const bare = await startFloor(server, answer);
    opened.add(() => bare.stop());
    const sides = [await open(server.process), await open(bare)] as const;
    // Both are given time to be compiled for what they do.
    for (const side of sides) await side.load.round({ ms: effort.warmUpMs });
    for (let round = 0; round < effort.rounds; round++) {
      for (const side of sides) await measure(side, effort.roundMs);
    }
    return summary(...sides);
  } finally {
    await opened.close();
  }
}

async function measure(side: Side, ms: number): Promise<void> {
  const before = cpuMs(side.pid);
  const round = await side.load.round({ ms });
  side.rates.push((round.count / round.ms) * 1000);
  side.count += round.count;
  side.cpu += (cpuMs(side.pid) ?? NaN) - (before ?? NaN);
}

function summary(wherry: Side, floor: Side): Comparison {
  const cpuRatio = floor.cpu / floor.count / (wherry.cpu / wherry.count);
  return {
    wherry: median(wherry.rates),
    floor: median(floor.rates),
    ratio: median(wherry.rates.map((rate, round) => rate / floor.rates[round]!)),
    cpuRatio: Number.isFinite(cpuRatio) ? cpuRatio : undefined,
  };
}
