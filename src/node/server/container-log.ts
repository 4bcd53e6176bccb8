import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../base/clock.ts';
import { badRequest } from '../../kinds/meta/api-error.ts';
import type { LogOptions, RunningContainer } from '../runtime.ts';
import type { HostedContainer } from './hosted-pods.ts';
import { isSet, wholeNumber } from './query-values.ts';

/** Sends what a container has printed, as fast as the client takes it; with `follow` until the container ends or the client leaves. */
export async function sendLog(
  container: HostedContainer,
  query: URLSearchParams,
  response: ServerResponse,
  clock: Clock,
): Promise<void> {
  const options = logOptions(query, clock);
  const log = await chooseRun(container, isSet(query, 'previous')).logs(options);
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  // Whoever follows a silent container learns at once that it worked.
  response.flushHeaders();
  // A client that has left is no failure.
  await pipeline(log, response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

function chooseRun({ name, current, previous, waitingReason }: HostedContainer, isPrevious: boolean): RunningContainer {
  if (!isPrevious) {
    if (current) return current;
    throw badRequest(`container ${JSON.stringify(name)} is waiting to start: ${waitingReason ?? 'unknown'}`);
  }
  // A container that waits for its next run has its last one behind it.
  const last = current?.exit && waitingReason ? current : previous;
  if (!last) throw badRequest(`container ${JSON.stringify(name)} has no previous run`);
  return last;
}

function logOptions(query: URLSearchParams, clock: Clock): LogOptions {
  return {
    follow: isSet(query, 'follow'),
    timestamps: isSet(query, 'timestamps'),
    tailLines: wholeNumber(query, 'tailLines', 0) ?? wholeNumber(query, 'tail', 0),
    limitBytes: wholeNumber(query, 'limitBytes', 1),
    since: sinceOf(query, clock),
  };
}

function sinceOf(query: URLSearchParams, clock: Clock): number | undefined {
  const seconds = wholeNumber(query, 'sinceSeconds', 1);
  const time = query.get('sinceTime');
  if (seconds !== undefined && time) throw badRequest('give sinceTime or sinceSeconds, not both');
  if (seconds !== undefined) return Math.max(0, clock.now() - seconds * 1000);
  if (!time) return undefined;
  const since = Date.parse(time);
  if (Number.isNaN(since)) throw badRequest(`${JSON.stringify(time)} is no time as in RFC 3339`);
  return since;
}
