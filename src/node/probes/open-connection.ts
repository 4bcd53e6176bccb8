import { connect } from 'node:net';

/** Opens a connection and closes it again. Rejects when nobody takes it, or when it is given up. */
export function openConnection(port: number, host: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.on('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });
}
