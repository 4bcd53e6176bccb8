import type { Clock } from '../../../../base/clock.ts';
import { isRunning, signal, type ProcessIdentity, type ProcessStat } from '../proc/process-identity.ts';
import type { ProcessTable } from '../proc/process-table.ts';

/** Whose processes, and which of them are left alone. */
export interface ProcessChoice {
  readonly table: ProcessTable;
  readonly container: string;
  readonly spared: ReadonlySet<number>;
}

const firstWaitMs = 2;
const longestWaitMs = 200;

async function processesOf({ table, container, spared }: ProcessChoice): Promise<ProcessStat[]> {
  const scan = await table.scan();
  return (scan.get(container) ?? []).filter(({ pid }) => !spared.has(pid));
}

/** Asks all of them to end; those of `group` were asked already, all at once. */
export async function terminateProcesses(choice: ProcessChoice, group: number): Promise<void> {
  const processes = await processesOf(choice);
  for (const process of processes) if (process.group !== group) trySignal(process, 'SIGTERM');
}

/** Kills until a look finds none of them: one may start another while it is looked for. Gives back those that we have no right to kill. */
export async function killProcesses(choice: ProcessChoice, clock: Clock): Promise<ProcessStat[]> {
  for (let wait = firstWaitMs; ; wait = Math.min(wait * 2, longestWaitMs)) {
    const processes = await processesOf(choice);
    const refused = processes.filter((process) => !trySignal(process, 'SIGKILL') && isRunning(process));
    if (refused.length === processes.length) return refused;
    await pause(clock, wait);
  }
}

/** Kills one process and waits until it is gone. */
export async function killProcess(process: ProcessIdentity, clock: Clock): Promise<void> {
  signal(process, 'SIGKILL');
  for (let wait = firstWaitMs; isRunning(process); wait = Math.min(wait * 2, longestWaitMs)) await pause(clock, wait);
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

function trySignal(process: ProcessStat, name: NodeJS.Signals): boolean {
  try {
    return signal(process, name);
  } catch {
    return false;
  }
}
