import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { Logger } from '../../../base/logger.ts';
import { BindProblem } from '../bind-problem.ts';
import type { AddressManager } from './address-manager.ts';
import { checkAddress } from './machine-addresses.ts';
import type { RunCommand } from './run-command.ts';

export interface InterfaceAddressesOptions {
  readonly run: RunCommand;
  readonly logger: Logger;
  /** Who adds addresses: one owner at a time, such as the directory of a node. What an earlier run of the same owner left is removed. */
  readonly owner: string;
  /** The interface that addresses are added to; `lo` when absent. */
  readonly device?: string;
}

/**
 * Adds addresses that the machine does not have to one of its interfaces, with the program `ip` of Linux; that needs root. Addresses that
 * are there already are left alone.
 */
export async function openInterfaceAddresses(options: InterfaceAddressesOptions): Promise<AddressManager> {
  const { run, logger, device = 'lo' } = options;
  const label = labelOf(options.owner, device);
  const added = new Set<string>();
  await removeLeftovers();

  async function removeLeftovers(): Promise<void> {
    const lines = (await run('ip', ['-o', '-4', 'address', 'show', 'dev', device, 'label', label])).split('\n');
    for (const address of lines.flatMap((line) => /\binet ([\d.]+)/.exec(line)?.[1] ?? [])) await remove(address);
  }

  async function remove(address: string): Promise<void> {
    try {
      await run('ip', ['address', 'delete', `${address}/32`, 'dev', device]);
    } catch (error) {
      logger.warn('an address of a service stays on the machine', { address, device, error });
    }
  }

  return {
    async hold(address) {
      const isThere = await checkAddress(address).then(
        () => true,
        () => false,
      );
      if (isThere) return;
      if (!isIPv4(address)) throw new BindProblem('address', `${address} cannot be added: only IPv4 addresses can`);
      try {
        await run('ip', ['address', 'add', `${address}/32`, 'dev', device, 'label', label]);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new BindProblem('address', `${address} could not be added to ${device}: ${reason}`, { cause });
      }
      added.add(address);
      await checkAddress(address);
    },
    async release(address) {
      if (added.delete(address)) await remove(address);
    },
  };
}

/** Marks the addresses of one owner. The system allows 15 characters, of which the first are the interface's. */
function labelOf(owner: string, device: string): string {
  return `${device}:${createHash('sha256').update(owner).digest('hex')}`.slice(0, 15);
}
