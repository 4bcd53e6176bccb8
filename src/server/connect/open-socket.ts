import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { ApiError, badRequest, timedOut, unreachable } from '../../kinds/meta/api-error.ts';
import { addressFault, guardedLookup, type AddressOwner } from './reachable-address.ts';

/** Where a request is sent on to. */
export interface Destination {
  /** An address, or for nodes also a name. */
  readonly host: string;
  readonly port: number;
  readonly owner: AddressOwner;
  /** Plain TCP when absent. */
  readonly tls?: DestinationTls;
}

export interface DestinationTls {
  readonly options: ConnectionOptions;
  /** Looks at who answered, before anything is sent; throws when it is the wrong one. */
  check?(socket: TLSSocket): void;
}

export interface OpeningOptions {
  readonly clock: Clock;
  /** Gives up when it is aborted. */
  readonly signal: AbortSignal;
}

const connectMs = 10_000;
const keepAliveMs = 30_000;

/** `10.1.2.3:80`, for messages and for the Host header. */
export function authorityOf({ host, port }: Pick<Destination, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Connects, and secures the connection where the destination says so. Fails with 503, or 504 when that takes too long. */
export async function openSocket(destination: Destination, { clock, signal }: OpeningOptions): Promise<Socket> {
  const { host, port, owner } = destination;
  const fault = isIP(host) || owner === 'pod' ? addressFault(host, owner) : undefined;
  if (fault) throw badRequest(`${authorityOf(destination)} is not connected to: ${fault}`);
  const place = { host, port, lookup: guardedLookup(owner), allowHalfOpen: true };
  const { tls } = destination;
  const socket = tls ? connectTls({ ...place, servername: '', ...tls.options }) : connect(place);
  socket.setNoDelay(true).setKeepAlive(true, keepAliveMs);
  const timer = clock.after(connectMs, () => socket.destroy(timedOut(`${authorityOf(destination)} does not answer`)));
  const giveUp = (): void => void socket.destroy(clientLeft());
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    await opened(socket, tls ? 'secureConnect' : 'connect');
    tls?.check?.(socket as TLSSocket);
    return socket;
  } catch (error) {
    socket.destroy();
    throw connectionError(destination, error);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', giveUp);
  }
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    // Stays for good: whoever uses the socket hears of its end by 'close', and an error that nobody hears would end the process.
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('it closed the connection')));
  });
}

export function clientLeft(): Error {
  return unreachable('the client left before there was an answer');
}

/** What went wrong with a connection, as a refusal; refusals stay as they are. */
export function connectionError(destination: Pick<Destination, 'host' | 'port'>, cause: unknown): Error {
  if (cause instanceof ApiError) return cause;
  const { message, code } = cause as NodeJS.ErrnoException;
  return unreachable(`${authorityOf(destination)} cannot be reached: ${message || (code ?? 'no reason is known')}`, {
    cause,
  });
}
