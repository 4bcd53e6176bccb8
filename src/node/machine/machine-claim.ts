import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Something of which this machine has only one, held by one process at a time. */
export interface MachineClaim {
  release(): Promise<void>;
}

/**
 * Takes what goes by a name on this machine; nothing when it is taken. What is claimed is a name for sockets that has no file (on Linux only): the
 * kernel gives it to one process, takes it back however that process ends, and keeps it apart wherever ports are kept apart, too.
 */
export async function claimOnMachine(name: string): Promise<MachineClaim | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  // Names of sockets are short.
  server.listen(`\0wherry-${createHash('sha256').update(name).digest('hex')}`);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
  return {
    async release() {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
