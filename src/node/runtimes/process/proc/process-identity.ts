import { readFileSync } from 'node:fs';

/** One process and no other: a pid is given out again, a pid with its start time is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since the machine started. */
  readonly startTime: number;
}

/** What the kernel says about a process; CPU times are in clock ticks. */
export interface ProcessStat extends ProcessIdentity {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Its own time and that of children it has waited for. */
  readonly cpuTicks: number;
  readonly residentPages: number;
}

/** Nothing for a process that is not there. */
export function processStat(pid: number): ProcessStat | undefined {
  const text = readIfThere(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
}

/** The name stands in parentheses and may hold anything, spaces and parentheses too: fields are counted from behind it. */
export function parseStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  const pid = Number.parseInt(text, 10);
  const startTime = field(22);
  if (!Number.isInteger(pid) || !Number.isInteger(startTime)) return undefined;
  return {
    pid,
    startTime,
    state: fields[0] ?? '',
    parent: field(4),
    group: field(5),
    session: field(6),
    cpuTicks: field(14) + field(15) + field(16) + field(17),
    residentPages: field(24),
  };
}

/** Whether this very process still runs; one that only waits to be reaped does not. */
export function isRunning(identity: ProcessIdentity): boolean {
  const stat = processStat(identity.pid);
  return stat?.startTime === identity.startTime && stat.state !== 'Z' && stat.state !== 'X';
}

/** Sends a signal to this very process, or to its group when it leads one; false when it is gone. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals, to: 'process' | 'group' = 'process'): boolean {
  if (!isRunning(identity)) return false;
  try {
    return process.kill(to === 'group' ? -identity.pid : identity.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Reads `PID START`, as supervisors write it; nothing for a file that is not there or not complete. */
export function readIdentity(path: string): ProcessIdentity | undefined {
  const match = /^(\d+) (\d+)\n/.exec(readIfThere(path) ?? '');
  return match ? { pid: Number(match[1]), startTime: Number(match[2]) } : undefined;
}

/** Changes whenever the machine starts: identities from before mean nothing. */
export function bootId(): string {
  return readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
}

/** Processes come and go: whatever cannot be read is treated as not there. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
