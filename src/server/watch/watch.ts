import { fraction, type Ids } from '../../base/ids.ts';
import { ApiError, badRequest } from '../../kinds/meta/api-error.ts';
import type { WatchHandle, WatchRequest } from '../../registry/watch.ts';
import { collectionAddress, type Exchange } from '../exchange.ts';
import { readSelection } from '../verbs/list-query.ts';
import { flag, integer } from '../verbs/query.ts';
import { WatchSession } from './watch-session.ts';
import type { WatchSink } from './watch-sink.ts';
import { WatchStream } from './watch-stream.ts';

/** Answers with a stream that goes on until the time is up, the client leaves or the server stops. */
export async function watchObjects(exchange: Exchange): Promise<undefined> {
  await openWatch(exchange, () => new WatchStream(exchange.response, exchange.requestId));
}

/**
 * Starts a watch. The sink is opened only once the registry has taken the watch, so that whatever is wrong with the request can still be
 * answered as an error; a revision that is too old is told in the stream, as clients expect it. There is no sink for a client that is gone.
 */
export async function openWatch(exchange: Exchange, openSink: () => WatchSink | undefined): Promise<void> {
  const { context, query, target } = exchange;
  const request = watchRequest(exchange);
  const session = new WatchSession({
    view: context.views.of(target.resource.served, exchange.shape),
    told: context.watchMeters.of(target.resource.served),
    sessions: context.watches,
    clock: context.clock,
    limits: context.limits,
    timeoutMs: timeout(query, context.ids),
    bookmarks: flag(query, 'allowWatchBookmarks'),
  });
  if (exchange.request.method === 'HEAD') {
    openSink()?.end();
    return;
  }
  try {
    const handle = await context.registry.watch(collectionAddress(exchange), request, session);
    begin(session, handle, openSink);
  } catch (error) {
    const sink = error instanceof ApiError && error.code === 410 ? openSink() : undefined;
    if (!sink) throw error;
    session.refuse(error as ApiError, sink);
  }
}

function begin(session: WatchSession, handle: WatchHandle, openSink: () => WatchSink | undefined): void {
  let sink: WatchSink | undefined;
  try {
    sink = openSink();
  } finally {
    if (!sink) handle.close();
  }
  if (sink) session.begin(handle, sink);
}

function watchRequest({ query, target }: Exchange): WatchRequest {
  if (target.name !== undefined && query.get('fieldSelector')) {
    throw badRequest('the path names one object already; leave out fieldSelector, or watch the collection with it');
  }
  return {
    selection: readSelection(query, target.resource.served.kind),
    name: target.name,
    resourceVersion: query.get('resourceVersion') ?? undefined,
  };
}

const shortestDefaultMs = 30 * 60_000;
const longestTimerMs = 2 ** 31 - 1;

/** Where a client names no time, watches end at different times, so that they do not all come back at once. */
function timeout(query: URLSearchParams, ids: Ids): number {
  const seconds = integer(query, 'timeoutSeconds') ?? 0;
  if (seconds < 0) throw badRequest('timeoutSeconds must not be negative');
  if (seconds > 0) return Math.min(seconds * 1000, longestTimerMs);
  return shortestDefaultMs * (1 + fraction(ids));
}
