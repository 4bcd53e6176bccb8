import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

/** Any JSON answer, with the parts that tests look at. */
export type AnswerBody = ApiObject & {
  readonly items?: readonly AnswerBody[];
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: { readonly kind?: string; readonly name?: string };
  readonly [field: string]: unknown;
};

export interface ReceivedAnswer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; throws when it is none. */
  readonly json: () => AnswerBody;
}

export interface SentRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Text or bytes as they are, or a value to send as JSON. */
  readonly body?: unknown;
}

/** Sends one request on a connection of its own. The path goes out as it is written here, dots and all. */
export function send(base: string, method: string, path: string, sent: SentRequest = {}): Promise<ReceivedAnswer> {
  const { hostname, port } = new URL(base);
  const { body } = sent;
  const isReady = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  const payload = isReady ? body : JSON.stringify(body);
  const length = payload === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(payload)) };
  const type = payload === undefined ? {} : { 'Content-Type': 'application/json' };
  const headers = { ...length, ...type, ...sent.headers };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const json = (): AnswerBody => JSON.parse(text) as AnswerBody;
        resolve({ code: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    request.on('error', reject);
    request.end(payload);
  });
}

export const mergePatch = { 'Content-Type': 'application/merge-patch+json' };
export const strategicPatch = { 'Content-Type': 'application/strategic-merge-patch+json' };
export const jsonPatch = { 'Content-Type': 'application/json-patch+json' };
