import { readFileSync } from 'node:fs';

/** Resident memory of a process, in bytes. Undefined where the system has no /proc. */
export function residentBytes(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(procFile(pid, 'status'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

const millisecondsPerTick = 10;

/** Processor time that a process has used so far, in milliseconds. Undefined where the system has no /proc. */
export function cpuMs(pid: number): number | undefined {
  // The name in the second field can hold anything, so counting begins behind it.
  const fields = procFile(pid, 'stat').split(') ').at(-1)!.split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return Number.isFinite(user + system) ? (user + system) * millisecondsPerTick : undefined;
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
