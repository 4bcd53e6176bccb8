import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { CertificateKeeper } from '../../access/certificates/certificate-keeper.ts';
import { memoryPairStore } from '../../access/certificates/pair-store.ts';
import { systemClock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { silentLogger } from '../../base/logger.ts';
import { forbidden } from '../../kinds/meta/api-error.ts';
import { startServer, type RunningServer } from '../testing/running-server.ts';
import { parseProxyName } from './proxy-name.ts';
import { startConnected } from './testing/connected-server.ts';
import { fillUp, mostBlocks } from './testing/fill-up.ts';
import { createPod, listenAsPod, podAddress, serveWeb } from './testing/web-pods.ts';

const namespace = '/api/v1/namespaces/one';
const limit = { timeout: 20_000 };

interface Seen {
  readonly method?: string;
  readonly url?: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers with what it was asked. */
const echo: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, headers } = request;
    response.writeHead(request.url === '/teapot' ? 418 : 200, {
      'X-Echo': 'yes',
      'Set-Cookie': ['a=1', 'b=2'],
      'Content-Type': 'application/json',
      Connection: 'close, X-Private',
      'X-Private': 'between the two',
    });
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
};

async function running(t: TestContext): Promise<RunningServer> {
  const server = await startServer();
  t.after(() => server.close());
  return server;
}

/** A server with pod `web`, whose first port has the handler behind it. */
async function runningWeb(t: TestContext, handler: RequestListener): Promise<RunningServer & { podPort: number }> {
  const podPort = await serveWeb(t, handler);
  const server = await running(t);
  await createPod(server, 'web', { ip: podAddress, ports: [{ name: 'http', containerPort: podPort }] });
  return { ...server, podPort };
}

async function seenAt(server: RunningServer, method: string, path: string): Promise<string> {
  const answer = await server.send(method, path);
  assert.match(answer.text, /^\{"method"/, `${method} ${path}: ${answer.text}`);
  const seen = JSON.parse(answer.text) as Seen;
  return `${answer.code} ${seen.method} ${seen.url}`;
}

test('a request to a pod arrives with its method, path, query and body, without credentials', limit, async (t) => {
  const server = await runningWeb(t, echo);
  const answer = await server.send('POST', `${namespace}/pods/web/proxy/a/b%2Fc//?q=1&r=%20+&s`, {
    headers: {
      Authorization: 'Bearer secret',
      'Impersonate-User': 'jane',
      'X-Remote-User': 'jane',
      'X-Own': 'kept',
      Connection: 'keep-alive, X-Hop',
      'X-Hop': 'for the server',
      'Keep-Alive': 'timeout=5',
      TE: 'trailers',
    },
    body: 'hello',
  });
  assert.equal(answer.code, 200);
  assert.equal(answer.headers['x-echo'], 'yes');
  assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2']);
  assert.equal(answer.headers['x-private'], undefined);
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.ok(answer.headers['audit-id']);
  const { headers, ...seen } = JSON.parse(answer.text) as Seen;
  assert.equal(`${seen.method} ${seen.url} ${seen.body}`, 'POST /a/b%2Fc//?q=1&r=%20+&s hello');
  const gone = ['authorization', 'impersonate-user', 'x-remote-user', 'x-hop', 'keep-alive', 'te'];
  assert.deepEqual(
    gone.map((name) => headers[name]),
    gone.map(() => undefined),
  );
  assert.equal(headers['x-own'], 'kept');
  assert.equal(headers.host, `${podAddress}:${server.podPort}`);
  assert.equal(headers['x-forwarded-uri'], `${namespace}/pods/web/proxy/a/b%2Fc//`);
  assert.equal(headers['x-forwarded-for'], '127.0.0.1');
  assert.equal(headers['x-forwarded-proto'], 'http');
  assert.equal(headers['x-forwarded-host'], new URL(server.url).host);
});

test('every proxy path and method reaches the pod, and its answers come back as they are', limit, async (t) => {
  const server = await runningWeb(t, echo);
  const { podPort: port } = server;
  for (const method of ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS']) {
    for (const [path, url] of [
      [`${namespace}/pods/web:${port}/proxy/`, '/'],
      [`${namespace}/pods/http:web:http/proxy/x?y=2`, '/x?y=2'],
      ['/api/v1/proxy/namespaces/one/pods/web/', '/'],
      [`/api/v1/proxy/namespaces/one/pods/web:http/x/y/?z`, '/x/y/?z'],
    ] as const) {
      assert.equal(await seenAt(server, method, path), `200 ${method} ${url}`);
    }
    assert.equal((await server.send('HEAD', `${namespace}/pods/web/proxy/x`)).headers['x-echo'], 'yes');
  }
  assert.equal(await seenAt(server, 'GET', `${namespace}/pods/web/proxy`), '200 GET /');
  assert.equal(await seenAt(server, 'GET', `${namespace}/pods/web/proxy/teapot`), '418 GET /teapot');
  assert.equal((await server.send('GET', `${namespace}/pods/web:other/proxy/`)).code, 400);
  assert.equal((await server.send('GET', `${namespace}/pods/web:70000/proxy/`)).code, 400);
});

test('the path can stand in the query, where the contract has it', limit, async (t) => {
  const server = await runningWeb(t, echo);
  for (const [query, url] of [
    ['path=/x&y=2', '/x?y=2'],
    ['y=%202&path=x', '/x?y=%202'],
    ['path=/x%3Fa%3Db&y=2', '/x?a=b&y=2'],
    ['path=/a%20b%0D%0A%C3%BC%23', '/a%20b%0D%0A%C3%BC%23'],
    ['path=', '/'],
  ] as const) {
    assert.equal(await seenAt(server, 'PUT', `${namespace}/pods/web/proxy?${query}`), `200 PUT ${url}`);
  }
  assert.equal(await seenAt(server, 'PUT', `${namespace}/pods/web/proxy/p?path=/x`), '200 PUT /p?path=/x');
  assert.equal(await seenAt(server, 'PUT', '/api/v1/proxy/namespaces/one/pods/web?path=/x'), '200 PUT /?path=/x');
});

test('a bare path of the older form is redirected to where its relative links work', limit, async (t) => {
  const server = await runningWeb(t, echo);
  const bare = await server.send('GET', '/api/v1/proxy/namespaces/one/pods/web:http?q=1');
  assert.equal(bare.code, 301);
  assert.equal(bare.headers.location, '/api/v1/proxy/namespaces/one/pods/web:http/?q=1');
  assert.equal(await seenAt(server, 'POST', '/api/v1/proxy/namespaces/one/pods/web:http'), '200 POST /');
  assert.equal((await server.send('GET', '/api/v1/proxy/namespaces/one/pods/absent')).code, 404);
});

for (const [form, prefix] of [
  ['newer', `${namespace}/pods/web/proxy`],
  ['older', '/api/v1/proxy/namespaces/one/pods/web'],
] as const) {
  test(`redirects and the links of pages lead through the ${form} path again`, limit, async (t) => {
    const server = await runningWeb(t, (request, response) => {
      const own = `http://${request.headers.host}`;
      if (request.url !== '/page') response.writeHead(302, { Location: `${own}/in?a#b` }).end();
      if (response.headersSent) return;
      const body = `<a href="/one">1</a><img src='${own}/two'><a href="three"><a href="http://other/">`;
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': body.length }).end(body);
    });
    const redirect = await server.send('GET', `${prefix}/go`);
    assert.equal(redirect.code, 302);
    assert.equal(redirect.headers.location, `${prefix}/in?a#b`);
    const page = await server.send('GET', `${prefix}/page`);
    const links = `<a href="${prefix}/one">1</a><img src='${prefix}/two'><a href="three"><a href="http://other/">`;
    assert.equal(page.text, links);
    assert.equal((await server.send('HEAD', `${prefix}/page`)).code, 200);
  });
}

test('a request to a service goes to one of its endpoints that are ready', limit, async (t) => {
  const ports = [await serveWeb(t, (_request, response) => response.end('one')), await serveWeb(t, echo)];
  const server = await running(t);
  const absent = await server.send('GET', `${namespace}/services/web/proxy/`);
  assert.equal(absent.code, 404);
  assert.equal(absent.json().details?.kind, 'endpoints');
  const subsets = [
    { notReadyAddresses: [{ ip: '127.64.0.11' }], ports: [{ name: 'late', port: 80 }] },
    { addresses: [{ ip: podAddress }], ports: [{ name: 'a', port: ports[0] }, { name: 'b', port: ports[1] }] }, // prettier-ignore
  ];
  await server.send('POST', `${namespace}/endpoints`, { body: { metadata: { name: 'web' }, subsets } });
  const spec = { ports: [{ name: 'b', port: 8080 }, { name: 'late', port: 90 }] }; // prettier-ignore
  await server.send('POST', `${namespace}/services`, { body: { metadata: { name: 'web' }, spec } });
  assert.equal((await server.send('GET', `${namespace}/services/web:a/proxy/`)).text, 'one');
  assert.equal(await seenAt(server, 'GET', `${namespace}/services/web:b/proxy/x?y`), '200 GET /x?y');
  assert.equal(await seenAt(server, 'POST', `${namespace}/services/http:web:8080/proxy/x`), '200 POST /x');
  assert.equal(await seenAt(server, 'PUT', '/api/v1/proxy/namespaces/one/services/web:b/x'), '200 PUT /x');
  for (const name of ['web', 'web:late', 'web:90', 'web:91', 'web:nothing']) {
    const none = await server.send('GET', `${namespace}/services/${name}/proxy/`);
    assert.equal(`${name} ${none.code} ${none.json().reason}`, `${name} 503 ServiceUnavailable`);
  }
});

test('all endpoints that are ready get their share', limit, async (t) => {
  const server = await running(t);
  const subsets = await Promise.all(
    ['one', 'two', 'three'].map(async (text, i) => {
      const ip = `127.64.1.${i + 1}`;
      const port = await serveWeb(t, (_request, response) => response.end(text), ip);
      return { addresses: [{ ip }], ports: [{ port }] };
    }),
  );
  await server.send('POST', `${namespace}/endpoints`, { body: { metadata: { name: 'web' }, subsets } });
  const answers = new Set<string>();
  for (let i = 0; i < 40; i++) answers.add((await server.send('GET', `${namespace}/services/web/proxy/`)).text);
  assert.deepEqual([...answers].sort(), ['one', 'three', 'two']);
});

test('pods that speak TLS are reached whoever signed their certificate', limit, async (t) => {
  const keeper = await CertificateKeeper.open({
    store: memoryPairStore(),
    names: ['elsewhere'],
    clock: systemClock,
    logger: silentLogger,
  });
  keeper.close();
  const { certificate: cert, key } = keeper.current.serving;
  const port = await listenAsPod(t, createHttpsServer({ cert, key }, echo));
  const server = await running(t);
  await createPod(server, 'safe', { ip: podAddress });
  assert.equal(await seenAt(server, 'GET', `${namespace}/pods/https:safe:${port}/proxy/x`), '200 GET /x');
});

test('bodies stream both ways: each side hears the other before it has said all', limit, async (t) => {
  const server = await runningWeb(t, (request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    request.on('data', (chunk: Buffer) => response.write(`heard ${chunk.toString()}`));
    request.on('end', () => response.end('over'));
  });
  const sent = httpRequest(`${server.url}${namespace}/pods/web/proxy/`, { method: 'POST', agent: false });
  sent.flushHeaders();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  for (const word of ['one', 'two']) {
    sent.write(word);
    const [chunk] = (await once(response, 'data')) as [Buffer];
    assert.equal(chunk.toString(), `heard ${word}`);
  }
  sent.end();
  const [last] = (await once(response, 'data')) as [Buffer];
  assert.equal(last.toString(), 'over');
});

test('a body of unknown length arrives with any method', limit, async (t) => {
  const server = await runningWeb(t, echo);
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const headers = { 'Transfer-Encoding': 'chunked' };
    const sent = httpRequest(`${server.url}${namespace}/pods/web/proxy/`, { method, headers, agent: false });
    sent.write('a');
    sent.end('b');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const [chunk] = (await once(response, 'data')) as [Buffer];
    assert.equal((JSON.parse(chunk.toString()) as Seen).body, 'ab', method);
  }
});

test('a client that names no host, as HTTP/1.0 lets it, is served', limit, async (t) => {
  const server = await runningWeb(t, (_request, response) => response.end('served'));
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(`GET ${namespace}/pods/web/proxy/ HTTP/1.0\r\n\r\n`);
  const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nserved$/);
});

test('a large body arrives whole, and one that waits for the go-ahead gets it', limit, async (t) => {
  const server = await runningWeb(t, (request, response) => {
    let length = 0;
    request.on('data', (chunk: Buffer) => (length += chunk.length));
    request.on('end', () => response.end(String(length)));
  });
  const length = 8 * 1024 * 1024;
  const headers = { Expect: '100-continue', 'Content-Length': length };
  const path = `${server.url}${namespace}/pods/web/proxy/`;
  const sent = httpRequest(path, { method: 'PUT', headers, agent: false });
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.end(Buffer.alloc(length));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const [chunk] = (await once(response, 'data')) as [Buffer];
  assert.equal(chunk.toString(), String(length));
});

test('a client that leaves, or does not read, is noticed by the pod', limit, async (t) => {
  const [ended, stuck] = [deferred<void>(), deferred<number>()];
  const server = await runningWeb(t, (_request, response) => {
    response.once('close', () => ended.resolve());
    void fillUp(response).then(stuck.resolve);
  });
  const sent = httpRequest(`${server.url}${namespace}/pods/web/proxy/`, { agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.pause();
  assert.ok((await stuck.promise) < mostBlocks / 2);
  response.destroy();
  await ended.promise;
});

test('an answer that breaks off breaks off at the client', limit, async (t) => {
  const server = await runningWeb(t, (_request, response) => {
    response.writeHead(200, { 'Content-Length': 100 }).write('half');
    setImmediate(() => response.destroy());
  });
  await assert.rejects(server.send('GET', `${namespace}/pods/web/proxy/`), /aborted/);
});

test('what has no address, or does not answer, is 503 with a Status that says so', limit, async (t) => {
  const server = await running(t);
  await createPod(server, 'waiting');
  const waiting = await server.send('GET', `${namespace}/pods/waiting/proxy/`);
  assert.equal(waiting.code, 503);
  assert.match(waiting.json().message ?? '', /waiting has no address/);
  await createPod(server, 'silent', { ip: '127.64.0.1', ports: [{ containerPort: 1 }] });
  const silent = await server.send('GET', `${namespace}/pods/silent/proxy/`);
  assert.equal(silent.code, 503);
  assert.match(silent.json().message ?? '', /127\.64\.0\.1:1 cannot be reached/);
  await server.send('POST', '/api/v1/nodes', { body: { metadata: { name: 'bare' } } });
  assert.equal((await server.send('GET', '/api/v1/nodes/bare/proxy/')).code, 503);
  assert.equal((await server.send('GET', '/api/v1/nodes/none/proxy/')).json().details?.kind, 'nodes');
});

test('pods that claim addresses of the machine or of its cloud are not connected to', limit, async (t) => {
  const server = await running(t);
  const { port } = new URL(server.url);
  for (const [i, ip] of ['127.0.0.1', '::1', '169.254.169.254', '0.0.0.0', '::ffff:127.0.0.1', 'localhost'].entries()) {
    await createPod(server, `evil-${i}`, { ip });
    const answer = await server.send('GET', `${namespace}/pods/evil-${i}:${port}/proxy/version`);
    assert.equal(answer.code, 400, ip);
    assert.match(answer.json().message ?? '', /is not connected to/);
  }
});

test('a node is reached at its own endpoint, with the certificate of the server', limit, async (t) => {
  const server = await startConnected(t, { answer: echo });
  const answer = await server.send('GET', '/api/v1/nodes/here/proxy/stats/summary?a=1', {
    headers: { Authorization: 'Bearer secret' },
  });
  assert.equal(answer.code, 200);
  assert.equal(await seenAt(server, 'POST', `/api/v1/proxy/nodes/here:${server.node.port}/x`), '200 POST /x');
  assert.deepEqual(server.node.seen, ['GET /stats/summary?a=1', 'POST /x']);
  // Its other ports are not its own when it is this machine.
  const { port } = new URL(server.url);
  assert.equal((await server.send('GET', `/api/v1/nodes/here:${port}/proxy/version`)).code, 400);
});

test('nothing is proxied for who may not, and the older path asks for a right of its own', limit, async (t) => {
  const asked: string[] = [];
  const server = await startConnected(t, {
    answer: echo,
    authorize: async (_user, { verb, resource, subresource }) => {
      if (subresource !== 'proxy' && verb !== 'proxy') return;
      asked.push(`${verb} ${resource} ${subresource}`);
      throw forbidden({ resource: 'nodes' }, 'not yours');
    },
  });
  assert.equal((await server.send('PATCH', '/api/v1/nodes/here/proxy/')).code, 403);
  assert.equal((await server.send('GET', '/api/v1/proxy/nodes/here/')).code, 403);
  assert.deepEqual(asked, ['patch nodes proxy', 'proxy nodes undefined']);
  assert.equal(server.node.sockets.size, 0);
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

test(
  'an upload may take as long as it keeps coming, and is given up with its pod when it does not',
  limit,
  async (t) => {
    const arriving = deferred<IncomingMessage>();
    const server = await runningWeb(t, (request) => arriving.resolve(request.on('error', () => undefined)));
    const { port } = new URL(server.url);
    const path = `${namespace}/pods/web/proxy/upload`;
    const upload = httpRequest({ port, method: 'PUT', path, headers: { 'Content-Length': 1000 } });
    const cut = once(upload, 'error');
    upload.flushHeaders();
    const arrived = await arriving.promise;
    for (let minutes = 0; minutes < 30; minutes += 2) {
      const came = once(arrived, 'data');
      upload.write('more');
      await came;
      server.clock.step(120_000);
    }
    assert.equal(arrived.aborted, false);
    const left = new Promise((resolve) => arrived.once('close', resolve));
    server.clock.step(240_000);
    await Promise.all([cut, left]);
  },
);
