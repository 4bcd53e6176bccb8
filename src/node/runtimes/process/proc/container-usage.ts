import { readFileSync } from 'node:fs';
import type { Usage } from '../../../runtime.ts';
import type { ProcessStat } from './process-identity.ts';

/** The kernel shows times in hundredths of a second on every machine, whatever it counts in. */
const nanosPerTick = 10_000_000;

/** What some processes use together. Time of children that ended counts through the parent that waited for them. */
export function usageOf(processes: readonly ProcessStat[], pageSize: number): Usage {
  const sum = (of: (process: ProcessStat) => number): number =>
    processes.reduce((total, process) => total + of(process), 0);
  return {
    cpuNanos: sum(({ cpuTicks }) => cpuTicks) * nanosPerTick,
    memoryBytes: sum(({ residentPages }) => residentPages) * pageSize,
  };
}

/** Bytes in a page of memory. */
export function readPageSize(): number {
  const match = /^KernelPageSize:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/smaps', 'latin1'));
  return match ? Number(match[1]) * 1024 : 4096;
}
