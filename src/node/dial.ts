import { connect, type Socket } from 'node:net';

/** Connects to a port at the first of these addresses that takes the connection. Fails as the last one does, or when it is given up. */
export async function dial(hosts: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  let failure: unknown = new Error('there is no address to connect to');
  for (const host of hosts) {
    signal.throwIfAborted();
    try {
      return await dialOne(host, port, signal);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function dialOne(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const giveUp = (): void => void socket.destroy(new Error('the connection was given up'));
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('error', (error) => {
      signal.removeEventListener('abort', giveUp);
      reject(error);
    });
    socket.once('connect', () => {
      signal.removeEventListener('abort', giveUp);
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}
