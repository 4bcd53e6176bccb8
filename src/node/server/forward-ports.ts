import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import type { ForwardedConnection, PortForwarding } from '../../streams/command-streams.ts';

/** Opens a connection to a port of the pod. */
export type OpenPort = (port: number, signal: AbortSignal) => Promise<Duplex>;

/** Leads every connection of a client to the pod, until the client leaves. */
export async function forwardPorts(forwarding: PortForwarding, openPort: OpenPort): Promise<void> {
  const opened = new Set<Duplex>();
  const leaving = new AbortController();
  // One for each connection that is being made.
  setMaxListeners(0, leaving.signal);
  forwarding.onConnection((connection) => {
    // Bytes wait in their stream until there is somebody to take them.
    openPort(connection.port, leaving.signal).then(
      (socket) => {
        opened.add(socket);
        socket.once('close', () => opened.delete(socket));
        if (connection.data.destroyed || leaving.signal.aborted) socket.destroy();
        else join(connection, socket);
      },
      (error: Error) => connection.fail(`port ${connection.port} of the pod cannot be reached: ${error.message}`),
    );
  });
  await forwarding.closed;
  leaving.abort();
  for (const socket of opened) socket.destroy();
}

/** Each direction ends on its own; what breaks ends both. */
function join({ data }: ForwardedConnection, socket: Duplex): void {
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
