import { cpus, freemem, totalmem } from 'node:os';
import type { Usage } from '../runtime.ts';

/** What the whole machine uses, whoever runs it: time of all processors since its start, and memory that nobody else could have. */
export function readMachineUsage(): Usage {
  const busyMs = cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
  return { cpuNanos: busyMs * 1e6, memoryBytes: totalmem() - freemem() };
}
