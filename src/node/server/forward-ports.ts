import { connect, type Socket } from 'node:net';
import type { ForwardedConnection, PortForwarding } from '../../streams/command-streams.ts';

/** A program that listens on the loopback address only is reached there. */
const loopback = '127.0.0.1';

/** Leads every connection of a client to the pod, until the client leaves. */
export async function forwardPorts(forwarding: PortForwarding, podIP: string): Promise<void> {
  const sockets = new Set<Socket>();
  forwarding.onConnection((connection) => {
    // Bytes wait in their stream until there is somebody to take them.
    open(connection.port, podIP).then(
      (socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        if (connection.data.destroyed) socket.destroy();
        else join(connection, socket);
      },
      (error: Error) => connection.fail(`port ${connection.port} of the pod cannot be reached: ${error.message}`),
    );
  });
  await forwarding.closed;
  for (const socket of sockets) socket.destroy();
}

async function open(port: number, podIP: string): Promise<Socket> {
  try {
    return await dial(port, podIP);
  } catch (error) {
    if (podIP === loopback || (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
    return dial(port, loopback);
  }
}

function dial(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** Each direction ends on its own; what breaks ends both. */
function join({ data }: ForwardedConnection, socket: Socket): void {
  socket.on('error', () => data.destroy());
  data.on('error', () => socket.destroy());
  data.once('close', () => socket.destroy());
  socket.once('close', () => {
    if (!data.writableEnded) data.end();
    // Nobody takes what the client still sends.
    data.unpipe(socket).resume();
  });
  data.pipe(socket).pipe(data);
}
