import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { readIdentity, signal } from '../proc/process-identity.ts';
import { containerFiles, type ContainerRecord } from './container-record.ts';

/**
 * The way into a container's standard input; nothing when it has none or when that has ended. With `stdinOnce` the first one to get it is the
 * last: what kept the input open for it is ended, so that the input ends when it does.
 */
export function openStdin(directory: string, record: ContainerRecord): Writable | undefined {
  if (!record.stdin) return undefined;
  const holder = record.stdinOnce ? readIdentity(join(directory, containerFiles.stdinHolder)) : undefined;
  if (record.stdinOnce && !holder) return undefined;
  const input = openFifo(join(directory, containerFiles.stdin));
  if (holder && !signal(holder, 'SIGKILL')) {
    input?.destroy();
    return undefined;
  }
  return input;
}

function openFifo(path: string): Writable | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Nobody has it open for reading: the container has closed its input or has ended.
    return undefined;
  }
  try {
    const input = new Socket({ fd, readable: false, writable: true });
    input.on('error', () => input.destroy());
    return input;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
