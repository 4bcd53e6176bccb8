/**
 * Makes connections from within the network namespace of a pod and hands them over to the agent that started it, see `InnerConnections`. Ends with it.
 */
import { connect, type Socket } from 'node:net';
import type { ConnectionAnswer, ConnectionRequest } from '../ports/inner-connections.ts';

function answer(message: ConnectionAnswer, socket?: Socket): void {
  process.send?.(message, socket, {}, (error) => {
    if (error) process.exit(1);
  });
}

/** Nothing is read here: what comes is for whoever gets the connection. */
function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true });
    socket.pause();
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}

async function serve({ id, hosts, port }: ConnectionRequest): Promise<void> {
  let failure: NodeJS.ErrnoException | undefined;
  for (const host of hosts) {
    try {
      return answer({ id }, await open(host, port));
    } catch (error) {
      failure ??= error as NodeJS.ErrnoException;
    }
  }
  const isSilent = failure === undefined || failure.code === 'ECONNREFUSED';
  answer({ id, failure: isSilent ? `no program of this pod listens on port ${port}` : failure?.message });
}

process.on('disconnect', () => process.exit(0));
process.on('message', (request) => void serve(request as ConnectionRequest));
