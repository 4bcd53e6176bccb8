import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Runtime } from '../../runtime.ts';
import { parseBlock } from '../../simulated/address-block.ts';
import { AddressTable } from './addresses/address-table.ts';
import { claimBlock } from './addresses/claim-block.ts';
import { findCgroups } from './cgroups/find-cgroups.ts';
import { lockDirectory } from './directory-lock.ts';
import { findHostTools } from './host-tools.ts';
import { builtInImages } from './images/built-in-images.ts';
import { ImageMapFile } from './images/image-map-file.ts';
import { findNamespaceSupport } from './mounts/namespaces.ts';
import { readPageSize } from './proc/container-usage.ts';
import { bootId } from './proc/process-identity.ts';
import { ProcessTable } from './proc/process-table.ts';
import { ProcessRuntime } from './process-runtime.ts';
import type { ProcessRuntimeOptions } from './process-runtime-options.ts';

const defaultRange = '127.64.0.0/10';
const defaultLogLimits = { maxBytes: 10 * 1024 * 1024, maxFiles: 5 };

/**
 * Opens the runtime whose containers are processes of this machine: no root and no other program needed. Containers that an earlier one started are
 * taken up again, those with a terminal too. Fails on anything but Linux, and when another agent has the directory.
 *
 * What it does not do: containers see the machine's files, processes and network. A program that listens on all addresses takes the port from
 * all pods of the machine; one that listens on $POD_IP does not. Whoever may start containers here has the rights of the agent's user.
 */
export async function openProcessRuntime(options: ProcessRuntimeOptions): Promise<Runtime> {
  if (process.platform !== 'linux') throw new Error(`containers can run as processes on Linux only, not on ${process.platform}`); // prettier-ignore
  const range = parseBlock(options.addressRange ?? defaultRange);
  if (!range || !range.cidr.startsWith('127.')) throw new Error(`${options.addressRange} is no block of addresses within 127.0.0.0/8`); // prettier-ignore
  const directory = resolve(options.directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(join(directory, 'lock'));
  try {
    const tools = findHostTools();
    const registry = options.addressRegistry ?? join(tmpdir(), 'wherry-pod-addresses');
    const block = await claimBlock({ range, registry, owner: directory });
    const runtime = new ProcessRuntime({
      directory,
      tools,
      lock,
      addresses: await AddressTable.open(join(directory, 'addresses.json'), block),
      hostAddress: options.hostAddress ?? '127.0.0.1',
      imageMap: options.imageMap === undefined ? undefined : await ImageMapFile.open(options.imageMap, options.logger),
      builtInImages: builtInImages(),
      namespaces: await findNamespaceSupport(directory, tools),
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
