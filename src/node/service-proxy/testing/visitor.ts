import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client of a service. */
export interface Visitor {
  readonly socket: Socket;
  /** The name of the backend that it was connected with. */
  readonly backend: string;
  /** Says something, and gives what comes back. */
  say(text: string): Promise<string>;
  /** Ends its side, and resolves when the connection is closed. */
  leave(): Promise<void>;
}

export interface Target {
  readonly host: string;
  readonly port: number;
  /** The address that the visitor comes from. */
  readonly localAddress?: string;
}

/** Connects, and rejects with the system's error when that, or what follows, fails. */
export async function visit(target: Target): Promise<Visitor> {
  const socket = connect({ ...target, allowHalfOpen: true });
  socket.setEncoding('utf8');
  const say = async (text: string): Promise<string> => {
    socket.write(text);
    const [answer] = (await once(socket, 'data')) as [string];
    return answer;
  };
  const [greeting] = (await once(socket, 'data')) as [string];
  return {
    socket,
    backend: greeting.trim(),
    say,
    async leave() {
      const closed = once(socket, 'close');
      socket.end();
      socket.resume();
      await closed;
    },
  };
}

/** Comes and goes; gives the backend's name, or the code of the error. */
export async function call(target: Target): Promise<string> {
  try {
    const visitor = await visit(target);
    await visitor.leave();
    return visitor.backend;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}
