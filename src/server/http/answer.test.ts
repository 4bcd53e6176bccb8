import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
} from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { deferred } from '../../base/deferred.ts';
import { silentLogger, type LogFields, type Logger } from '../../base/logger.ts';
import { notFound, tooManyRequests } from '../../kinds/meta/api-error.ts';
import { sendError, sendJson, sendText, warningHeaders } from './answer.ts';
import { plainJson } from './negotiate.ts';
import { acceptsGzip, sendBytes, type HttpExchange } from './send-bytes.ts';

/** A server on loopback whose handler each test sets. */
class Bench {
  handle: (exchange: HttpExchange) => Promise<void> | undefined = () => Promise.resolve();
  readonly server: Server = createServer((request, response) => void this.handle({ request, response }));

  async open(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async ask(headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<{ response: IncomingMessage; body: Buffer }> {
    const request = httpRequest({ port: this.port, method, agent: false, headers });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { response, body: Buffer.concat((await response.toArray()) as Buffer[]) };
  }
}

const yaml = { media: 'yaml', pretty: false } as const;
const pretty = { media: 'json', pretty: true } as const;

describe('answers', () => {
  const bench = new Bench();
  before(() => bench.open());
  after(() => {
    bench.server.close();
    bench.server.closeAllConnections();
  });

  it('stored bytes are sent as they are', async () => {
    const stored = Buffer.from('{"b":1,  "a":"ä"}');
    bench.handle = (exchange) => sendJson(exchange, { code: 200, body: stored, format: plainJson });
    const { response, body } = await bench.ask();
    assert.deepEqual(body, stored);
    assert.equal(response.headers['content-type'], 'application/json');
    assert.equal(response.headers['content-length'], String(stored.length));
    assert.equal(response.headers['x-content-type-options'], 'nosniff');
    assert.equal(response.headers['cache-control'], 'no-cache, private');
  });

  it('stored bytes are re-formatted when pretty JSON or YAML is asked for', async () => {
    const stored = Buffer.from('{"kind":"Pod","items":[1]}');
    bench.handle = (exchange) => sendJson(exchange, { code: 200, body: stored, format: pretty });
    assert.equal((await bench.ask()).body.toString(), '{\n  "kind": "Pod",\n  "items": [\n    1\n  ]\n}\n');
    bench.handle = (exchange) => sendJson(exchange, { code: 200, body: stored, format: yaml });
    const { response, body } = await bench.ask();
    assert.equal(body.toString(), 'kind: Pod\nitems:\n- 1\n');
    assert.equal(response.headers['content-type'], 'application/yaml');
  });

  it('HEAD gets the headers alone', async () => {
    bench.handle = (exchange) => sendJson(exchange, { code: 200, body: { a: 1 }, format: plainJson });
    const { response, body } = await bench.ask({}, 'HEAD');
    assert.equal(response.headers['content-length'], '7');
    assert.equal(body.length, 0);
  });

  it('large bodies are packed when the client accepts gzip', async () => {
    const large = Buffer.from(JSON.stringify({ text: 'x'.repeat(200_000) }));
    bench.handle = (exchange) => sendJson(exchange, { code: 200, body: large, format: plainJson });
    const packed = await bench.ask({ 'Accept-Encoding': 'deflate, gzip;q=0.5' });
    assert.equal(packed.response.headers['content-encoding'], 'gzip');
    assert.ok(packed.body.length < large.length / 10);
    assert.deepEqual(gunzipSync(packed.body), large);
    const plain = await bench.ask();
    assert.equal(plain.response.headers['content-encoding'], undefined);
    assert.deepEqual(plain.body, large);
  });

  it('small bodies are not packed', async () => {
    bench.handle = (exchange) => sendJson(exchange, { code: 200, body: { a: 'x'.repeat(1000) }, format: plainJson });
    assert.equal((await bench.ask({ 'Accept-Encoding': 'gzip' })).response.headers['content-encoding'], undefined);
  });

  it('bodies of many pieces arrive whole', async () => {
    const large = Buffer.alloc(5_000_000, 'abcdefg');
    bench.handle = (exchange) => sendBytes(exchange, { code: 200, body: large, contentType: 'application/json' });
    assert.ok((await bench.ask()).body.equals(large));
  });

  it('an ApiError is sent as its Status, with Retry-After where it has one', async () => {
    bench.handle = (exchange) =>
      sendError(exchange, tooManyRequests('busy', 7), { logger: silentLogger, requestId: 'r' });
    const { response, body } = await bench.ask();
    assert.equal(response.statusCode, 429);
    assert.equal(response.headers['retry-after'], '7');
    const status = JSON.parse(body.toString()) as Record<string, unknown>;
    assert.deepEqual(
      [status['kind'], status['status'], status['reason'], status['code']],
      ['Status', 'Failure', 'TooManyRequests', 429],
    );
  });

  it('errors come as YAML when YAML was asked for', async () => {
    const error = notFound({ resource: 'configmaps', name: 'absent' });
    bench.handle = (exchange) => sendError(exchange, error, { format: yaml, logger: silentLogger, requestId: 'r' });
    const { response, body } = await bench.ask();
    assert.equal(response.statusCode, 404);
    assert.equal(response.headers['content-type'], 'application/yaml');
    assert.match(body.toString(), /^kind: Status$/m);
    assert.match(body.toString(), /^ {2}kind: configmaps$/m);
  });

  it('a bug is a 500 that shows nothing of the inside, and is logged with its stack', async () => {
    const lines: { message: string; fields?: LogFields }[] = [];
    const logger: Logger = { ...silentLogger, error: (message, fields) => lines.push({ message, fields }) };
    const bug = new TypeError('secret thing is undefined');
    bench.handle = (exchange) => sendError(exchange, bug, { logger, requestId: 'request-9' });
    const { response, body } = await bench.ask();
    assert.equal(response.statusCode, 500);
    const status = JSON.parse(body.toString()) as { reason: string; message: string };
    assert.equal(status.reason, 'InternalError');
    assert.match(status.message, /request-9/);
    assert.doesNotMatch(body.toString(), /secret|TypeError|answer\.test/);
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.fields?.['error'], bug);
  });

  it('an error after the answer has begun cuts the connection', async () => {
    bench.handle = async (exchange) => {
      exchange.response.writeHead(200, { 'Content-Length': 100 }).write('part');
      await sendError(exchange, new Error('late'), { logger: silentLogger, requestId: 'r' });
    };
    await assert.rejects(bench.ask(), /aborted|socket hang up|ECONNRESET/);
  });

  it('nothing is sent to a client that is gone', async () => {
    const outcome = deferred<void>();
    bench.handle = async ({ request, response }) => {
      const closed = deferred<void>();
      response.on('close', () => closed.resolve());
      request.socket.destroy();
      await closed.promise;
      await sendText({ request, response }, { code: 200, text: 'ok' }).then(outcome.resolve, outcome.reject);
    };
    await assert.rejects(bench.ask());
    await outcome.promise;
  });

  it('a client that never reads is cut off', { timeout: 20_000 }, async () => {
    const sent = deferred<boolean>();
    bench.handle = async (exchange) => {
      await sendBytes(exchange, {
        code: 200,
        body: Buffer.alloc(64_000_000),
        contentType: 'application/json',
        stallMs: 200,
      });
      sent.resolve(exchange.response.destroyed);
    };
    const socket = connect(bench.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.equal(await sent.promise, true);
    socket.destroy();
  });

  it('the stall time is over with the answer, also for what is pipelined behind it', async () => {
    const stallTimes: (number | undefined)[] = [];
    const firstSent = deferred<void>();
    const answers = [
      async (exchange: HttpExchange) => {
        exchange.response.on('finish', () => firstSent.resolve());
        const body = Buffer.alloc(1_000_000);
        await sendBytes(exchange, { code: 200, body, contentType: 'text/plain', stallMs: 5000 });
        stallTimes.push(exchange.request.socket.timeout);
      },
      async (exchange: HttpExchange) => {
        await firstSent.promise;
        stallTimes.push(exchange.request.socket.timeout);
        await sendText(exchange, { code: 200, text: 'second' });
      },
    ];
    bench.handle = (exchange) => answers.shift()!(exchange);
    const socket = connect(bench.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const received = Buffer.concat((await socket.toArray()) as Buffer[]);
    assert.match(received.subarray(-1000).toString('latin1'), /second$/);
    assert.deepEqual(stallTimes, [5000, 0]);
  });
});

describe('acceptsGzip', () => {
  it('takes gzip unless it is ruled out', () => {
    for (const header of ['gzip', 'deflate, gzip', 'GZIP;q=0.5', 'br;q=1, gzip; q=0.001'])
      assert.equal(acceptsGzip(header), true, header);
    for (const header of [undefined, '', 'br', 'gzip;q=0', 'gzip; q=0.000', 'x-gzip-like'])
      assert.equal(acceptsGzip(header), false, header);
  });
});

describe('warningHeaders', () => {
  it('quotes what a header cannot hold', () => {
    assert.deepEqual(warningHeaders(['say "a\\b"\r\nInjected: 1']), {
      Warning: ['299 - "say \\"a\\\\b\\" Injected: 1"'],
    });
    assert.deepEqual(warningHeaders([]), {});
  });

  it('carries other scripts as UTF-8', () => {
    const [value = ''] = warningHeaders(['Schlüssel 😀 \ud800'])['Warning'] ?? [];
    assert.equal(Buffer.from(value, 'latin1').toString('utf8'), '299 - "Schlüssel 😀 \ufffd"');
  });

  it('stays within bounds and says what is missing', () => {
    const values =
      warningHeaders(Array.from({ length: 1000 }, (_, index) => `unknown field "spec.field${index}"`))['Warning'] ?? [];
    assert.ok(values.join('').length < 5000);
    assert.match(values.at(-1) ?? '', /\d+ more warnings are not shown/);
    assert.ok(warningHeaders(['x'.repeat(100_000)])['Warning']!.join('').length < 1100);
  });
});
