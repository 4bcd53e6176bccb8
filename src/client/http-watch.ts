import type { IncomingMessage } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { fromStatus, timedOut, unreachable, type ApiError } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { WatchHandle, WatchListener } from './client.ts';
import { isStatus } from './http-exchange.ts';
import { LineReader } from './line-reader.ts';

export interface HttpWatchOptions {
  readonly listener: WatchListener<ApiObject>;
  readonly clock: Clock;
  /** When a server that was asked to end the watch earlier is taken for dead. */
  readonly deadlineMs: number;
  readonly maxLineBytes: number;
  readonly signal?: AbortSignal;
}

interface Line {
  readonly type: string;
  readonly object: ApiObject;
}

/** Reads the stream of a watch until it ends, one line an event. */
export function readWatch(response: IncomingMessage, options: HttpWatchOptions): WatchHandle {
  const { listener, signal } = options;
  const lines = new LineReader(options.maxLineBytes);
  let isOpen = true;
  const deadline = options.clock.after(options.deadlineMs, () =>
    end(timedOut('the server did not end the watch when it should have; the connection seems to be dead')),
  );
  function close(): void {
    isOpen = false;
    deadline.cancel();
    signal?.removeEventListener('abort', close);
    response.destroy();
  }
  function end(error?: ApiError): void {
    if (!isOpen) return;
    close();
    listener.onEnd(error);
  }
  response.on('data', (chunk: Buffer) => {
    try {
      for (const line of lines.push(chunk)) {
        if (!isOpen) return;
        const error = deliver(parseLine(line), listener);
        if (error) return end(error);
      }
    } catch (cause) {
      end(unreachable('the stream of the watch cannot be read', { cause }));
    }
  });
  response.once('end', () => end(lines.isInsideLine ? unreachable('the watch was cut off') : undefined));
  response.on('error', (cause) => end(unreachable('the watch was cut off', { cause })));
  // A stream that is destroyed without an error gives nothing but this.
  response.once('close', () => end(unreachable('the watch was cut off')));
  signal?.addEventListener('abort', close, { once: true });
  if (signal?.aborted) close();
  return { close };
}

function parseLine(line: string): Line {
  const { type, object } = JSON.parse(line) as Partial<Line>;
  if (typeof type !== 'string' || typeof object !== 'object' || object === null) {
    throw new TypeError('a line of the watch is no event');
  }
  return { type, object };
}

/** Hands an event on; gives the error that it carries where it is one. */
function deliver({ type, object }: Line, listener: WatchListener<ApiObject>): ApiError | undefined {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      listener.onEvent({ type, object });
      return undefined;
    case 'BOOKMARK':
      listener.onProgress?.(object.metadata.resourceVersion ?? '');
      return undefined;
    case 'ERROR':
      return isStatus(object) ? fromStatus(object) : unreachable('the server ended the watch with an error');
    default:
      return unreachable(`the server sent an event of unknown type ${JSON.stringify(type)}`);
  }
}
