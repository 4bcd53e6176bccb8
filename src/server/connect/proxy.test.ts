import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { parseProxyName } from './proxy-name.ts';
import { startServer, type RunningServer } from '../testing/running-server.ts';

const namespace = '/api/v1/namespaces/one';
const limit = { timeout: 20_000 };

interface Seen {
  readonly method?: string;
  readonly url?: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A web server that answers with what it was asked. */
async function startEcho(t: TestContext): Promise<number> {
  const echo = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      response.writeHead(request.url === '/teapot' ? 418 : 200, {
        'X-Echo': 'yes',
        'Content-Type': 'application/json',
      });
      response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
    });
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  t.after(() => echo.close());
  return (echo.address() as AddressInfo).port;
}

async function running(t: TestContext): Promise<RunningServer> {
  const server = await startServer();
  t.after(() => server.close());
  return server;
}

async function createPod(server: RunningServer, name: string, podIP?: string, port = 80): Promise<void> {
  const spec = { containers: [{ name: 'main', image: 'web', ports: [{ containerPort: port }] }] };
  const created = await server.send('POST', `${namespace}/pods`, { body: { metadata: { name }, spec } });
  assert.equal(created.code, 200);
  if (!podIP) return;
  const body = { metadata: { name }, spec, status: { phase: 'Running', podIP } };
  assert.equal((await server.send('PUT', `${namespace}/pods/${name}/status`, { body })).code, 200);
}

test('a request to a pod arrives with its method, path, query and body, without credentials', limit, async (t) => {
  const port = await startEcho(t);
  const server = await running(t);
  await createPod(server, 'web', '127.0.0.1', port);
  const headers = { Authorization: 'Bearer secret', 'Impersonate-User': 'jane', 'X-Own': 'kept' };
  const answer = await server.send('POST', `${namespace}/pods/web/proxy/a/b%2Fc?q=1`, { headers, body: 'hello' });
  assert.equal(answer.code, 200);
  assert.equal(answer.headers['x-echo'], 'yes');
  const seen = JSON.parse(answer.text) as Seen;
  assert.equal(`${seen.method} ${seen.url} ${seen.body}`, 'POST /a/b%2Fc?q=1 hello');
  assert.deepEqual([seen.headers.authorization, seen.headers['impersonate-user']], [undefined, undefined]);
  assert.equal(seen.headers['x-own'], 'kept');
});

test('every proxy path and method reaches the pod, and its answers come back as they are', limit, async (t) => {
  const port = await startEcho(t);
  const server = await running(t);
  await createPod(server, 'web', '127.0.0.1', 9);
  const seenAt = async (method: string, path: string): Promise<string> => {
    const answer = await server.send(method, path);
    const seen = JSON.parse(answer.text) as Seen;
    return `${answer.code} ${seen.method} ${seen.url}`;
  };
  assert.equal(await seenAt('GET', `${namespace}/pods/web:${port}/proxy`), '200 GET /');
  assert.equal(await seenAt('PUT', `${namespace}/pods/web:${port}/proxy?path=/x&y=2`), '200 PUT /x?y=2');
  assert.equal(await seenAt('DELETE', `/api/v1/proxy/namespaces/one/pods/web:${port}/x/`), '200 DELETE /x/');
  assert.equal(await seenAt('OPTIONS', `/api/v1/proxy/namespaces/one/pods/http:web:${port}`), '200 OPTIONS /');
  assert.equal(await seenAt('GET', `${namespace}/pods/web:${port}/proxy/teapot`), '418 GET /teapot');
  assert.equal((await server.send('HEAD', `${namespace}/pods/web:${port}/proxy`)).headers['x-echo'], 'yes');
  assert.equal((await server.send('PATCH', `${namespace}/pods/web:${port}/proxy`)).code, 405);
});

test('a request to a service goes to one of its endpoints that are ready', limit, async (t) => {
  const server = await running(t);
  const absent = await server.send('GET', `${namespace}/services/web/proxy/`);
  assert.equal(absent.code, 404);
  assert.equal(absent.json().details?.kind, 'endpoints');
  const subset = { notReadyAddresses: [{ ip: '10.1.2.3' }], ports: [{ name: 'http', port: 80 }] };
  await server.send('POST', `${namespace}/endpoints`, { body: { metadata: { name: 'web' }, subsets: [subset] } });
  const none = await server.send('GET', `${namespace}/services/web:http/proxy/`);
  assert.equal(none.code, 503);
  assert.equal(none.json().reason, 'ServiceUnavailable');
});

test('what has no address, or does not answer, is 503 with a Status that says so', limit, async (t) => {
  const server = await running(t);
  await createPod(server, 'waiting');
  const waiting = await server.send('GET', `${namespace}/pods/waiting/proxy/`);
  assert.equal(waiting.code, 503);
  assert.match(waiting.json().message ?? '', /waiting has no address/);
  await createPod(server, 'silent', '127.0.0.1', 1);
  const silent = await server.send('GET', `${namespace}/pods/silent/proxy/`);
  assert.equal(silent.code, 503);
  assert.match(silent.json().message ?? '', /127\.0\.0\.1:1 cannot be reached/);
  await server.send('POST', '/api/v1/nodes', { body: { metadata: { name: 'bare' } } });
  assert.equal((await server.send('GET', '/api/v1/nodes/bare/proxy/')).code, 503);
  assert.equal((await server.send('GET', '/api/v1/nodes/none/proxy/')).json().details?.kind, 'nodes');
});

test('a proxy name may carry scheme and port', () => {
  assert.deepEqual(parseProxyName('web'), { scheme: 'http', name: 'web', port: '' });
  assert.deepEqual(parseProxyName('web:http'), { scheme: 'http', name: 'web', port: 'http' });
  assert.deepEqual(parseProxyName('https:web:443'), { scheme: 'https', name: 'web', port: '443' });
  assert.deepEqual(parseProxyName('https:web:'), { scheme: 'https', name: 'web', port: '' });
  for (const wrong of ['ftp:web:21', 'a:b:c:d', ':80', 'http::80']) {
    assert.throws(() => parseProxyName(wrong), { code: 400 }, wrong);
  }
});
