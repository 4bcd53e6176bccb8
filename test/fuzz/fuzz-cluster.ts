import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import type { LogFields } from '../../src/base/logger.ts';
import { SteppedClock } from '../../src/base/stepped-clock.ts';
import { startCluster } from '../../src/cluster.ts';
import type { Status } from '../../src/kinds/meta/status.ts';
import type { ApiObject } from '../../src/kinds/meta/object-meta.ts';

export interface FuzzAnswer {
  readonly code: number;
  /** An object of the API, or a Status. */
  readonly body: ApiObject & Partial<Status>;
}

/** A cluster in memory behind a real socket, whose every answer is looked at. */
export interface FuzzCluster {
  /** Sends the body as JSON. Fails when the answer is none that the API may give. */
  call(method: string, path: string, body?: unknown, mediaType?: string): Promise<FuzzAnswer>;
  close(): Promise<void>;
}

export async function openFuzzCluster(): Promise<FuzzCluster> {
  const troubles: string[] = [];
  const note = (message: string, fields: LogFields = {}): void => void troubles.push(`${message} ${shown(fields)}`);
  const ignore = (): void => {};
  const cluster = await startCluster({
    clock: new SteppedClock(),
    insecurePort: 0,
    logger: { debug: ignore, info: ignore, warn: ignore, error: note },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const base = new URL(cluster.insecureUrl!);
  return {
    async call(method, path, body, mediaType = 'application/json') {
      const request = { method, path, mediaType, payload: payloadOf(body) };
      troubles.length = 0;
      const answer = await send(agent, base, request);
      assert.ok(answer.code < 500, `${words(request)}\nanswered ${answer.code}: ${troubles.join('\n')}`);
      return wellFormed(answer, words(request));
    },
    async close() {
      agent.destroy();
      await cluster.close();
    },
  };
}

function shown(fields: LogFields): string {
  const { error, ...rest } = fields;
  return `${JSON.stringify(rest)} ${error instanceof Error ? error.stack : String(error)}`;
}

function payloadOf(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}

function words({ method, path, payload = '' }: FuzzRequest): string {
  return `${method} ${path} ${payload.slice(0, 5000)}`;
}

interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly mediaType: string;
  readonly payload: string | undefined;
}

interface RawAnswer {
  readonly code: number;
  readonly contentType: string;
  readonly text: string;
}

function send(agent: Agent, base: URL, { method, path, mediaType, payload }: FuzzRequest): Promise<RawAnswer> {
  // Without its length Node would send the body of a DELETE as if it were another request.
  const headers =
    payload === undefined ? {} : { 'Content-Type': mediaType, 'Content-Length': String(Buffer.byteLength(payload)) };
  const { hostname, port } = base;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ agent, hostname, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          code: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    request.on('error', reject);
    request.end(payload);
  });
}

/** Refusals are a Status that says what and why; everything else is an object that says what it is. */
function wellFormed({ code, contentType, text }: RawAnswer, what: string): FuzzAnswer {
  assert.equal(contentType, 'application/json', what);
  const body = JSON.parse(text) as FuzzAnswer['body'];
  assert.equal(typeof body.kind, 'string', what);
  assert.equal(typeof body.apiVersion, 'string', what);
  assert.equal(typeof body.metadata, 'object', what);
  if (code >= 400) {
    assert.equal(body.kind, 'Status', what);
    assert.equal(body.status, 'Failure', what);
    assert.equal(body.code, code, what);
    assert.ok(body.reason && body.message, what);
  }
  return { code, body };
}
