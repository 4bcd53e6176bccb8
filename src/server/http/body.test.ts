import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { deferred } from '../../base/deferred.ts';
import { configMap } from '../../kinds/core/config-map.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { parseBody, readBody } from './body.ts';

const maxBytes = 10_000;

interface Outcome {
  readonly code: number;
  readonly text: string;
}

function outcomeOf(error: unknown): Outcome {
  assert.ok(error instanceof ApiError, String(error));
  return { code: error.code, text: error.message };
}

describe('readBody', () => {
  let received = deferred<Outcome>();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const server = createServer((request, response) => {
    readBody(request, maxBytes)
      .then((bytes) => ({ code: 200, text: bytes.toString('latin1') }), outcomeOf)
      .then((outcome) => {
        received.resolve(outcome);
        response.writeHead(outcome.code).end(outcome.text);
      }, received.reject);
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    agent.destroy();
    server.close();
  });
  const port = (): number => (server.address() as AddressInfo).port;

  async function post(body: Buffer | string, headers: OutgoingHttpHeaders = {}): Promise<Outcome> {
    const sent = httpRequest({ port: port(), method: 'POST', agent, headers });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks = await response.toArray();
    return { code: response.statusCode ?? 0, text: Buffer.concat(chunks as Buffer[]).toString('latin1') };
  }

  it('gives the bytes sent, in one piece or in chunks', async () => {
    assert.deepEqual(await post('hello'), { code: 200, text: 'hello' });
    assert.deepEqual(await post('x'.repeat(maxBytes)), { code: 200, text: 'x'.repeat(maxBytes) });
    assert.deepEqual(await post(''), { code: 200, text: '' });
    const sent = httpRequest({ port: port(), method: 'POST', agent });
    for (const part of ['a', 'b', 'c']) sent.write(part);
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    assert.equal(Buffer.concat((await response.toArray()) as Buffer[]).toString(), 'abc');
  });

  it('refuses a body that is declared too large with 413, and the connection goes on', async () => {
    assert.equal((await post(Buffer.alloc(5_000_000))).code, 413);
    assert.deepEqual(await post('next'), { code: 200, text: 'next' });
  });

  it('refuses a body that turns out too large with 413', async () => {
    assert.equal((await post(Buffer.alloc(1_000_000), { 'Transfer-Encoding': 'chunked' })).code, 413);
    assert.deepEqual(await post('next'), { code: 200, text: 'next' });
  });

  it('unpacks gzip within the same bound', async () => {
    assert.deepEqual(await post(gzipSync('packed'), { 'Content-Encoding': 'gzip' }), { code: 200, text: 'packed' });
    assert.equal((await post(gzipSync(Buffer.alloc(maxBytes)), { 'Content-Encoding': 'GZIP' })).code, 200);
    assert.equal((await post(gzipSync(Buffer.alloc(maxBytes + 1)), { 'Content-Encoding': 'gzip' })).code, 413);
    assert.equal((await post(gzipSync(Buffer.alloc(5_000_000)), { 'Content-Encoding': 'x-gzip' })).code, 413);
    assert.equal((await post('not packed', { 'Content-Encoding': 'gzip' })).code, 400);
  });

  it('refuses other encodings with 415', async () => {
    assert.equal((await post('x', { 'Content-Encoding': 'br' })).code, 415);
    assert.equal((await post('x', { 'Content-Encoding': 'gzip, gzip' })).code, 415);
    assert.deepEqual(await post('x', { 'Content-Encoding': 'identity' }), { code: 200, text: 'x' });
  });

  it('rejects when the client goes away in the middle', async () => {
    received = deferred<Outcome>();
    const socket = connect(port(), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy());
    const outcome = await received.promise;
    assert.equal(outcome.code, 400);
    assert.match(outcome.text, /connection ended/);
  });

  it('rejects when the client was gone before', async () => {
    const seen = deferred<IncomingMessage>();
    const other = createServer((request) => seen.resolve(request));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const socket = connect((other.address() as AddressInfo).port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n');
    const request = await seen.promise;
    const closed = deferred<void>();
    request.on('close', () => closed.resolve());
    socket.destroy();
    await closed.promise;
    await assert.rejects(readBody(request), /connection ended/);
    other.close();
  });
});

describe('parseBody', () => {
  const wanted = { kind: 'ConfigMap', apiVersion: 'v1', schema: configMap.schema };
  const parse = (text: string | Buffer, type?: string): Promise<unknown> => parseBody(Buffer.from(text), type, wanted);
  const refused = async (text: string | Buffer, type?: string): Promise<Outcome> =>
    outcomeOf(await parse(text, type).catch((error: unknown) => error));

  it('reads JSON and YAML by their media types', async () => {
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/merge-patch+json',
      'text/json',
    ]) {
      assert.deepEqual(await parse('{"a": 1}', type), { a: 1 });
      assert.equal((await refused('a: 1', type)).code, 400);
    }
    for (const type of [
      'application/yaml',
      'text/yaml',
      'application/x-yaml;charset="utf-8"',
      'application/apply-patch+yaml',
    ]) {
      assert.deepEqual(await parse('a: 1', type), { a: 1 });
      assert.deepEqual(await parse('{"a": 1}', type), { a: 1 });
    }
  });

  it('looks at the body when the type says nothing', async () => {
    for (const type of [undefined, '', 'application/x-www-form-urlencoded', 'text/plain', 'nonsense']) {
      assert.deepEqual(await parse(' {"a": 1}', type), { a: 1 });
      assert.deepEqual(await parse('[1]', type), [1]);
      assert.deepEqual(await parse('"kind": Pod', type), { kind: 'Pod' });
      assert.deepEqual(await parse('kind: Pod\nspec: {}', type), { kind: 'Pod', spec: {} });
    }
    assert.match((await refused('{"a": }')).text, /the JSON cannot be read/);
  });

  it('leaves it to the caller what a value must be', async () => {
    assert.equal(await parse('null', 'application/json'), null);
    assert.equal(await parse('12', 'application/json'), 12);
    assert.equal(await parse('"text"'), 'text');
  });

  it('refuses an empty body with 400', async () => {
    for (const text of ['', ' \n', '\ufeff'])
      assert.deepEqual(await refused(text, 'application/json'), { code: 400, text: 'the request needs a body' });
  });

  it('skips a byte order mark', async () => {
    assert.deepEqual(await parse('\ufeff{"a": 1}', 'application/json'), { a: 1 });
    assert.deepEqual(await parse('\ufeffa: 1', 'application/yaml'), { a: 1 });
  });

  it('refuses what is not UTF-8', async () => {
    assert.equal((await refused(Buffer.from([0x22, 0xff, 0x22]), 'application/json')).code, 400);
    assert.equal((await refused('{}', 'application/json; charset=utf-16')).code, 415);
    assert.deepEqual(await parse('{"a": "ä😀"}', 'application/json'), { a: 'ä😀' });
  });

  it('reads protobuf as the type that is wanted, by its media type or by its first bytes', async () => {
    // A map entry a=b as field 2 of a ConfigMap, in the field for the object of an envelope.
    const body = Buffer.from('k8s\0\x12\x08\x12\x06\x0a\x01a\x12\x01b');
    for (const type of [
      'application/vnd.kubernetes.protobuf',
      'application/vnd.kubernetes.protobuf; charset=utf-8',
      'application/octet-stream',
      undefined,
    ]) {
      assert.deepEqual(await parse(body, type), { data: { a: 'b' } });
    }
    assert.equal((await refused(body, 'application/json')).code, 400);
  });

  it('refuses protobuf that is none with 400', async () => {
    const media = 'application/vnd.kubernetes.protobuf';
    assert.deepEqual(await refused('', media), { code: 400, text: 'the request needs a body' });
    for (const body of ['{}', 'k8s', 'k8s\0abc']) {
      const { code, text } = await refused(body, media);
      assert.equal(code, 400);
      assert.match(text, /the protobuf cannot be read/);
    }
  });
});
