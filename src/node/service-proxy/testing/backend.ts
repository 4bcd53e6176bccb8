import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Endpoint } from '../endpoint.ts';
import { newPodAddress } from './loopback.ts';

/** A server that answers for a service. */
export interface Backend extends Endpoint {
  /** The connections that it has. */
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** Opens a server on a pod's address; `serve` gets each connection, which ends on its own side only when it is told to. */
export async function openBackend(serve: (socket: Socket) => void): Promise<Backend> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    serve(socket);
  });
  const ip = newPodAddress();
  server.listen(0, ip);
  await once(server, 'listening');
  return {
    ip,
    port: (server.address() as AddressInfo).port,
    sockets,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** One that says its name and then repeats what it is told. */
export function namedBackend(name: string): Promise<Backend> {
  return openBackend((socket) => {
    socket.write(`${name}\n`);
    socket.pipe(socket);
  });
}
