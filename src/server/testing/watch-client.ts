import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import type { AnswerBody } from './http-client.ts';

export interface ReceivedEvent {
  readonly type: string;
  readonly object: AnswerBody;
}

/** A watch as a client sees it. */
export interface WatchClient {
  readonly code: number;
  readonly contentType: string;
  /** The next event; undefined when the stream has ended cleanly. Rejects when it was cut. */
  next(): Promise<ReceivedEvent | undefined>;
  /** Every event up to the end. */
  rest(): Promise<ReceivedEvent[]>;
  /** The connection, for a client that stops reading. */
  readonly response: IncomingMessage;
  close(): void;
}

/** Opens a watch; resolves as soon as the headers are there. */
export async function openWatch(
  base: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<WatchClient> {
  const { hostname, port } = new URL(base);
  const request = httpRequest({ hostname, port, path, headers, agent: false });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let lines: AsyncIterator<string> | undefined;
  async function next(): Promise<ReceivedEvent | undefined> {
    lines ??= createInterface({ input: response })[Symbol.asyncIterator]();
    const line = await lines.next();
    if (!line.done) return JSON.parse(line.value) as ReceivedEvent;
    if (!response.complete) throw new Error('the stream was cut');
    return undefined;
  }
  return {
    code: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    response,
    next,
    async rest() {
      const events: ReceivedEvent[] = [];
      for (let event = await next(); event; event = await next()) events.push(event);
      return events;
    },
    close: () => response.destroy(),
  };
}
