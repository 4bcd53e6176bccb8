import type { IncomingMessage } from 'node:http';
import { fromStatus, internalError } from '../../kinds/meta/api-error.ts';
import type { Status } from '../../kinds/meta/status.ts';

/** What is read of a node's words at most. */
const longestMessage = 16 * 1024;

/** What a node means by a code that concerns what the client asked for. Anything else is a matter between server and node. */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  501: 'NotImplemented',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The refusal that a node's answer stands for, in its own words: a Status, or text. */
export async function nodeRefusal(node: string, message: IncomingMessage): Promise<Error> {
  const { statusCode: code = 0, statusMessage = '' } = message;
  const text = await readText(message);
  const status = statusIn(text);
  const words = wordsOf(status?.message) ?? (text.trim() || statusMessage);
  const usual = reasons[code];
  if (!usual) return internalError(`node ${node} answered with ${code}: ${words}`);
  const reason = wordsOf(status?.reason) ?? usual;
  return fromStatus({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message: words,
  });
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= longestMessage) break;
    }
  } catch {
    // What came before the connection broke will do.
  }
  return Buffer.concat(chunks).subarray(0, longestMessage).toString('utf8');
}

/** What another machine calls a Status need not be one in every part. */
function statusIn(text: string): Partial<Record<keyof Status, unknown>> | undefined {
  try {
    const value = JSON.parse(text) as Partial<Record<keyof Status, unknown>> | null;
    return value?.kind === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}

function wordsOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
