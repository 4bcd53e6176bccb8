import { once } from 'node:events';
import { createServer } from 'node:net';
import { bindProblem } from '../bind-problem.ts';
import type { AddressManager } from './address-manager.ts';

/** The addresses that the machine has anyway: those of its interfaces and, on Linux, all of 127.0.0.0/8. */
export const machineAddresses: AddressManager = {
  hold: checkAddress,
  release: () => Promise.resolve(),
};

/** Opens some port on the address and closes it again. */
export async function checkAddress(address: string): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host: address, port: 0 });
    await once(server, 'listening');
  } catch (error) {
    throw bindProblem(error, { protocol: 'TCP', address, port: 0 });
  }
  server.close();
  await once(server, 'close');
}
