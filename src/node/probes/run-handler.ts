import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Clock } from '../../base/clock.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import type { ExecAction, Handler, HTTPGetAction } from '../../kinds/core/pod/handler.ts';
import { version } from '../../version.ts';
import type { RunningContainer } from '../runtime.ts';
import { openConnection } from './open-connection.ts';

/** The container that a handler is about. */
export interface HandlerTarget {
  readonly container: Container;
  readonly running: Pick<RunningContainer, 'exec'>;
  /** Address of the pod. */
  readonly ip: string;
}

export type HandlerOutcome = { readonly ok: true } | { readonly ok: false; readonly message: string };

export interface HandlerLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Gives up before the time. */
  readonly signal?: AbortSignal;
}

/** What is kept of an answer, to tell people. */
const mostOutput = 10 * 1024;

/** Does what a probe or a hook asks for, once. Never rejects: whatever goes wrong is a failure with its message. */
export async function runHandler(
  handler: Handler,
  target: HandlerTarget,
  limits: HandlerLimits,
): Promise<HandlerOutcome> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error('it was given up'));
  const timer = limits.clock.after(limits.timeoutMs, () =>
    stopping.abort(new Error(`it took longer than ${limits.timeoutMs / 1000} seconds`)),
  );
  limits.signal?.addEventListener('abort', stop, { once: true });
  if (limits.signal?.aborted) stop();
  try {
    stopping.signal.throwIfAborted();
    return await act(handler, target, stopping.signal);
  } catch (error) {
    const cause: unknown = stopping.signal.aborted ? stopping.signal.reason : error;
    return { ok: false, message: cause instanceof Error ? cause.message : String(cause) };
  } finally {
    timer.cancel();
    limits.signal?.removeEventListener('abort', stop);
  }
}

function act(handler: Handler, target: HandlerTarget, signal: AbortSignal): Promise<HandlerOutcome> {
  if (handler.exec) return runCommand(handler.exec, target, signal);
  if (handler.httpGet) return getPage(handler.httpGet, target, signal);
  if (handler.tcpSocket) return reachPort(portOf(handler.tcpSocket.port, target), target.ip, signal);
  throw new Error('there is nothing to do: neither a command nor an address is given');
}

async function runCommand(
  { command }: ExecAction,
  { running }: HandlerTarget,
  signal: AbortSignal,
): Promise<HandlerOutcome> {
  const process = await running.exec(command, { tty: false, stdin: false });
  const kill = (): void => process.kill();
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  try {
    const outputs = [process.stdout, process.stderr].flatMap((stream) => (stream ? beginningOf(stream) : []));
    // What is killed ends at once, but for what has become another user's.
    const code = await untilAborted(process.exitCode, signal);
    if (code === 0) return { ok: true };
    // What was left running in the background may hold the outputs open for longer than is worth waiting.
    await untilAborted(Promise.all(outputs.map(({ ended }) => ended)), signal).catch(() => undefined);
    const text = outputs.flatMap((output) => output.soFar() || []).join('\n');
    return { ok: false, message: `the command ended with exit code ${code}${text && `: ${text}`}` };
  } finally {
    signal.removeEventListener('abort', kill);
    process.detach();
  }
}

interface Beginning {
  /** Resolves when the stream is over. */
  readonly ended: Promise<unknown>;
  soFar(): string;
}

/** Takes everything, keeps the beginning. */
function beginningOf(stream: Readable): Beginning {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size < mostOutput) chunks.push(chunk.subarray(0, mostOutput - size));
    size += chunk.length;
  });
  const ended = finished(stream, { writable: false }).catch(() => undefined);
  return { ended, soFar: () => Buffer.concat(chunks).toString('utf8').trim() };
}

/** Any answer from 200 to 399 is a success; redirections are not followed. */
async function getPage(action: HTTPGetAction, target: HandlerTarget, signal: AbortSignal): Promise<HandlerOutcome> {
  const { path = '/', host, scheme = 'HTTP', httpHeaders = [] } = action;
  const options: RequestOptions = {
    host: host || target.ip,
    port: portOf(action.port, target),
    path: escaped(path.startsWith('/') ? path : `/${path}`),
    headers: headersOf(httpHeaders),
    agent: false,
    signal,
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    // Certificates of pods are their own business: only whether something answers counts.
    const sent = scheme === 'HTTPS' ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
    sent.on('response', resolve).on('error', reject).end();
  });
  const { statusCode = 0 } = answer;
  if (statusCode >= 200 && statusCode < 400) {
    answer.destroy();
    return { ok: true };
  }
  return { ok: false, message: `the answer has status ${statusCode}${await bodyBeginning(answer)}` };
}

/** Each with all of its values, but for a host, which has one name however often it is given. */
function headersOf(given: NonNullable<HTTPGetAction['httpHeaders']>): Record<string, string | string[]> {
  const headers = new Map<string, string[]>([['user-agent', [`wherry-probe/${version}`]], ['connection', ['close']]]); // prettier-ignore
  for (const { name, value } of given) {
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), value]);
  }
  return Object.fromEntries(Array.from(headers, ([name, values]) => [name, name === 'host' ? values[0]! : values]));
}

/** A request has room for printable ASCII only. */
function escaped(path: string): string {
  return path.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));
}

async function bodyBeginning(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) {
    text += (chunk as Buffer).toString('utf8');
    if (text.length >= mostOutput) break;
  }
  answer.destroy();
  return text.trim() === '' ? '' : `: ${text.trim().slice(0, mostOutput)}`;
}

async function reachPort(port: number, host: string, signal: AbortSignal): Promise<HandlerOutcome> {
  await openConnection(port, host, signal);
  return { ok: true };
}

/** A port by number, or by the name that the container gives it. */
function portOf(port: number | string, { container }: HandlerTarget): number {
  const number = typeof port === 'number' ? port : container.ports?.find(({ name }) => name === port)?.containerPort;
  if (number !== undefined && number > 0 && number < 65_536) return number;
  const digits = Number(port);
  if (Number.isInteger(digits) && digits > 0 && digits < 65_536) return digits;
  throw new Error(`container ${container.name} has no port ${JSON.stringify(port)}`);
}
