import { readdir, readFile } from 'node:fs/promises';

/** A process of a pod, known by the environment that the pod gave it. */
export interface PodProcess {
  readonly pid: number;
  /** The pod that it belongs to, as POD_NAME says. */
  readonly pod: string;
  readonly command: string;
}

/** Every process of this machine whose environment has RUN=`run`, those that look after others included. */
export async function podProcesses(run: string): Promise<PodProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => podProcess(Number(pid), run)));
  return found.flatMap((process) => process ?? []);
}

async function podProcess(pid: number, run: string): Promise<PodProcess | undefined> {
  try {
    const [environment, command] = await Promise.all([
      readFile(`/proc/${pid}/environ`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ]);
    const variables = environment.split('\0');
    if (!variables.includes(`RUN=${run}`) || command === '') return undefined;
    const pod = variables.find((variable) => variable.startsWith('POD_NAME='))?.slice('POD_NAME='.length) ?? '';
    return { pid, pod, command: command.split('\0').join(' ').trim() };
  } catch {
    // It ended meanwhile, or belongs to another user.
    return undefined;
  }
}
