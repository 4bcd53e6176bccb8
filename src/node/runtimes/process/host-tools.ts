import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs of the machine that the runtime is made of. They come with every Linux; only namespaces and terminals need all of util-linux. */
export interface HostTools {
  readonly sh: string;
  readonly mkfifo: string;
  readonly setsid: string;
  readonly sleep: string;
  /** Where a tool is that only some containers need; fails with a message that says what for. */
  find(name: string, purpose: string): string;
}

/** Where system programs are, whatever PATH our own user has. */
const systemDirectories = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/local/sbin'];

/** The search path of containers that do not bring one. */
export const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function findHostTools(): HostTools {
  const found = new Map<string, string>();
  const find = (name: string, purpose: string): string => {
    const path = found.get(name) ?? findProgram(name);
    if (path === undefined) throw new Error(`the program ${name} is not on this machine; it is needed ${purpose}`);
    found.set(name, path);
    return path;
  };
  const required = (name: string): string => find(name, 'to run containers as processes');
  return {
    sh: required('sh'),
    mkfifo: required('mkfifo'),
    setsid: required('setsid'),
    sleep: required('sleep'),
    find,
  };
}

/** The file that a program's name stands for; nothing when there is none. */
export function findProgram(name: string, path = systemDirectories.join(delimiter)): string | undefined {
  return path
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
