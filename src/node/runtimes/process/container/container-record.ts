import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replacePrivateFile } from '../../../../base/private-file.ts';
import type { ContainerExit, PodId } from '../../../runtime.ts';
import type { LimitedResource } from '../cgroups/cgroups.ts';
import type { NamespaceSort } from '../mounts/namespaces.ts';

/** What the next agent has to know about a container; a file in the container's directory. */
export interface ContainerRecord {
  /** Without the name of the runtime; the value of the variable that marks its processes. */
  readonly id: string;
  readonly pod: PodId;
  readonly name: string;
  readonly attempt: number;
  readonly imageId: string;
  readonly startedAt: number;
  /** Processes of an earlier start of the machine are gone. */
  readonly boot: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly namespaces: NamespaceSort | 'none';
  /** The file of its pod's network namespace, or `host` for a pod on the host's network; absent for one on the loopback network. */
  readonly network?: string;
  /** Stands before commands so that they run as the container's user. */
  readonly asUser: readonly string[];
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  /** What the kernel limits through groups of its own. */
  readonly limited: readonly LimitedResource[];
  readonly warnings: readonly string[];
}

/** Files in a container's directory. The first five are written by its supervisor. */
export const containerFiles = {
  supervisor: 'supervisor',
  /** The main process. */
  process: 'process',
  exitCode: 'exit',
  /** The process that keeps standard input open until somebody attaches. */
  stdinHolder: 'holder',
  terminal: 'tty',
  record: 'container.json',
  /** How it ended, when all that follows an end is done. */
  result: 'result.json',
  terminationLog: 'termination-log',
  stdin: 'stdin',
  stdout: 'stdout',
  stderr: 'stderr',
  events: 'events',
  supervise: 'supervise',
  enter: 'enter',
} as const;

export async function writeRecord(directory: string, record: ContainerRecord): Promise<void> {
  await replacePrivateFile(join(directory, containerFiles.record), JSON.stringify(record));
}

/** Nothing for a directory without one: its container was never started. */
export async function readRecord(directory: string): Promise<ContainerRecord | undefined> {
  return readJson<ContainerRecord>(join(directory, containerFiles.record));
}

export async function writeResult(directory: string, exit: ContainerExit): Promise<void> {
  await replacePrivateFile(join(directory, containerFiles.result), JSON.stringify(exit));
}

export async function readResult(directory: string): Promise<ContainerExit | undefined> {
  return readJson<ContainerExit>(join(directory, containerFiles.result));
}

async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read`, { cause: error });
  }
}
