import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findCgroups } from './cgroups/find-cgroups.ts';
import { lockDirectory } from './directory-lock.ts';
import { findHostTools } from './host-tools.ts';
import { builtInImages } from './images/built-in-images.ts';
import { ImageMapFile } from './images/image-map-file.ts';
import { findNamespaceSupport } from './mounts/namespaces.ts';
import { openPodNetwork } from './network/open-pod-network.ts';
import { readPageSize } from './proc/container-usage.ts';
import { bootId } from './proc/process-identity.ts';
import { ProcessTable } from './proc/process-table.ts';
import { ProcessRuntime, type OpenedProcessRuntime } from './process-runtime.ts';
import type { ProcessRuntimeOptions } from './process-runtime-options.ts';

const defaultLogLimits = { maxBytes: 10 * 1024 * 1024, maxFiles: 5 };

/**
 * Opens the runtime whose containers are processes of this machine: no root and no other program needed. Containers that an earlier one started are
 * taken up again, those with a terminal too. Fails on anything but Linux, and when another agent has the directory.
 *
 * What it does not do: containers see the machine's files and processes. Unless pods have networks of their own they see its network, too: a program
 * that listens on all addresses takes the port from all pods of the machine; one that listens on $POD_IP does not. Whoever may start containers here has the rights of the agent's user.
 */
export async function openProcessRuntime(options: ProcessRuntimeOptions): Promise<OpenedProcessRuntime> {
  if (process.platform !== 'linux') throw new Error(`containers can run as processes on Linux only, not on ${process.platform}`); // prettier-ignore
  const directory = resolve(options.directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(join(directory, 'lock'));
  try {
    const tools = findHostTools();
    // What can be wrong is looked at before the network of the machine is changed.
    const imageMap = options.imageMap === undefined ? undefined : await ImageMapFile.open(options.imageMap, options.logger); // prettier-ignore
    const namespaces = await findNamespaceSupport(directory, tools);
    const network = await openPodNetwork({ ...options, make: options.network ?? 'loopback', directory, tools });
    const runtime = new ProcessRuntime({
      directory,
      tools,
      lock,
      network,
      imageMap,
      builtInImages: builtInImages(),
      namespaces,
      findCgroups: () => findCgroups(`wherry-${createHash('sha256').update(directory).digest('hex').slice(0, 12)}`),
      table: new ProcessTable(),
      boot: bootId(),
      pageSize: readPageSize(),
      logLimits: options.logLimits ?? defaultLogLimits,
      clock: options.clock,
      ids: options.ids,
      logger: options.logger,
    });
    await runtime.takeUp();
    return runtime;
  } catch (error) {
    await lock.release();
    throw error;
  }
}
