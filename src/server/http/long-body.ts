import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { every, type Clock } from '../../base/clock.ts';

/** For how long nothing may arrive of a body that is passed on. */
const longestSilenceMs = 120_000;

/** Connections on which a body arrives that may take its time. */
const patient = new WeakSet<Duplex>();

export interface PassedOnBody {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: Clock;
}

/**
 * Lets the body of a request take as long as it takes: it is passed on as it comes and not kept, so only a client that falls silent is cut off. Silence
 * does not count while whoever gets the body holds it back. For requests that are allowed only, and until they are answered: whoever is
 * not let in has no more time than others, nor has what is sent behind an answer.
 */
export function allowLongBody({ request, response, clock }: PassedOnBody): void {
  const { socket } = request;
  patient.add(socket);
  let seen = socket.bytesRead;
  const silence = every(clock, longestSilenceMs, () => {
    if (socket.bytesRead === seen && !request.isPaused()) socket.destroy();
    seen = socket.bytesRead;
  });
  const stop = (): void => {
    patient.delete(socket);
    silence.cancel();
  };
  request.once('close', stop);
  response.once('close', () => {
    if (request.complete || request.destroyed) return;
    stop();
    const late = clock.after(longestSilenceMs, () => socket.destroy());
    request.once('close', () => late.cancel());
  });
}

/** Whether what arrives on a connection is the body of such a request. */
export function hasLongBody(socket: Duplex): boolean {
  return patient.has(socket);
}
