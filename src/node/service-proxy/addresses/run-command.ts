import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Clock } from '../../../base/clock.ts';

/** Runs a program of the machine; gives what it prints, rejects with what it says when it fails. */
export type RunCommand = (program: string, args: readonly string[]) => Promise<string>;

const run = promisify(execFile);
const longestMs = 10_000;
/** The routes of a large machine are longer than what is usual. */
const mostOutput = 64 * 1024 * 1024;

export function commandRunner(clock: Clock): RunCommand {
  return async (program, args) => {
    const stopping = new AbortController();
    const timer = clock.after(longestMs, () => stopping.abort());
    try {
      const { stdout } = await run(program, [...args], { signal: stopping.signal, maxBuffer: mostOutput });
      return stdout;
    } catch (cause) {
      throw new Error(failureOf(cause, program, stopping.signal.aborted), { cause });
    } finally {
      timer.cancel();
    }
  };
}

function failureOf(cause: unknown, program: string, isLate: boolean): string {
  if (isLate) return `${program} took longer than ${longestMs / 1000} seconds`;
  const { code, stderr } = cause as { code?: unknown; stderr?: string };
  if (code === 'ENOENT') return `the program ${program} is not on this machine`;
  return `${program} failed: ${stderr?.trim() || String(cause)}`;
}
