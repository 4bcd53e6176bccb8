import { connect, type Socket } from 'node:net';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Balancer } from '../balancer.ts';
import { endpointKey, type Endpoint } from '../endpoint.ts';
import type { OpenSockets } from './open-sockets.ts';
import { socketOptions } from './socket-options.ts';

export interface DialParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sockets: OpenSockets;
}

/** How long one endpoint may take to answer, and how long a client waits before no further one is tried. */
const answerMs = 3_000;
const patienceMs = 10_000;

/** A connection to the first endpoint that takes one, as the balancer names them for the client; nothing when none does. */
export async function dial(balancer: Balancer, client: string, parts: DialParts): Promise<Socket | undefined> {
  const { clock, logger, sockets } = parts;
  const deadline = clock.ticks() + patienceMs;
  const tried = new Set<string>();
  while (!sockets.isClosed && clock.ticks() < deadline) {
    const endpoint = balancer.choose(client, tried);
    if (!endpoint) return undefined;
    tried.add(endpointKey(endpoint));
    try {
      return await connectTo(endpoint, parts);
    } catch (error) {
      logger.debug('an endpoint of a service takes no connection', { endpoint: endpointKey(endpoint), error });
    }
  }
  return undefined;
}

function connectTo({ ip, port }: Endpoint, { clock, sockets }: DialParts): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...socketOptions, host: ip, port });
    sockets.add(socket);
    const timer = clock.after(answerMs, () => socket.destroy(new Error(`no answer within ${answerMs} ms`)));
    const onEnd = (error?: unknown): void => {
      timer.cancel();
      reject(error instanceof Error ? error : new Error('the connection was given up'));
    };
    socket.once('error', onEnd);
    socket.once('close', onEnd);
    socket.once('connect', () => {
      timer.cancel();
      socket.off('error', onEnd);
      socket.off('close', onEnd);
      resolve(socket);
    });
  });
}
