import { request as httpRequest, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { deferred } from '../../base/deferred.ts';
import { badRequest, timedOut } from '../../kinds/meta/api-error.ts';
import {
  authorityOf,
  clientLeft,
  connectionError,
  openSocket,
  type Destination,
  type OpeningOptions,
} from './open-socket.ts';

export interface SentRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** Nothing is sent when absent. */
  readonly body?: Readable;
}

export interface SendOptions extends OpeningOptions {
  /** How long the answer may take to begin; for as long as the client waits when absent. */
  readonly answerMs?: number;
}

/** What came back: an answer, or a connection that speaks another protocol now. */
export interface Reply {
  readonly message: IncomingMessage;
  readonly switched?: {
    readonly socket: Duplex;
    /** What was read of the new protocol already. */
    readonly head: Buffer;
  };
}

/** Sends one request over a connection of its own. Fails with 503 when that cannot be done and 504 when there is no answer in time. */
export async function sendRequest(destination: Destination, sent: SentRequest, options: SendOptions): Promise<Reply> {
  const socket = await openSocket(destination, options);
  const { promise, resolve, reject } = deferred<Reply>();
  const { clock, signal, answerMs } = options;
  let outgoing: ClientRequest;
  try {
    const { method, path } = sent;
    const headers = { Host: authorityOf(destination), ...sent.headers };
    outgoing = httpRequest({ createConnection: () => socket, method, path, headers, setHost: false });
  } catch (cause) {
    socket.destroy();
    throw badRequest(`the request cannot be sent on: ${(cause as Error).message}`, { cause });
  }
  const giveUp = (): void => void socket.destroy(clientLeft());
  outgoing.on('response', (message) => resolve({ message }));
  outgoing.on('upgrade', (message, upgraded, head) => {
    // From here on the two connections end as those who speak over them like.
    signal.removeEventListener('abort', giveUp);
    resolve({ message, switched: { socket: upgraded, head } });
  });
  outgoing.on('error', (error) => reject(connectionError(destination, error)));
  const timer =
    answerMs === undefined
      ? undefined
      : clock.after(answerMs, () => outgoing.destroy(timedOut(`${authorityOf(destination)} does not answer`)));
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  if (sent.body) {
    // The other side may have something to say before the body begins.
    outgoing.flushHeaders();
    sent.body.pipe(outgoing);
  } else {
    outgoing.end();
  }
  try {
    return await promise;
  } finally {
    timer?.cancel();
  }
}
