import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Addresses of this process alone, so that tests which run at the same time do not meet. */
const own = `${(process.pid >> 8) & 0xff}.${process.pid & 0xff}`;

let pods = 0;

/** An address of a pod that had none; only such loopback addresses may be endpoints. */
export function newPodAddress(): string {
  return `127.${64 + (pods++ % 64)}.${own}`;
}

export const serviceAddress = `127.11.${own}`;
export const otherAddress = `127.12.${own}`;

/** A port that is free on all addresses. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Lets input and output happen until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
