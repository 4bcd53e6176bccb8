import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { startServer, type RunningServer } from '../testing/running-server.ts';
import { createPod, listenAsPod, podAddress } from './testing/web-pods.ts';

const namespace = '/api/v1/namespaces/one';
const limit = { timeout: 20_000 };

interface EchoSocket extends RunningServer {
  readonly seen: IncomingMessage[];
}

/**
 * A server with pod and service `chat`, behind which WebSockets give back what they get; below `/closed` they are refused, below `/silent` there is no
 * answer, and below `/endless` one that does not end.
 */
async function runningChat(t: TestContext): Promise<EchoSocket> {
  const seen: IncomingMessage[] = [];
  const web = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  web.on('upgrade', (incoming: IncomingMessage, socket, head) => {
    seen.push(incoming);
    if (incoming.url?.startsWith('/closed')) {
      socket.end('HTTP/1.1 403 Forbidden\r\nX-Why: closed\r\nContent-Length: 6\r\n\r\nclosed');
      return;
    }
    if (incoming.url?.startsWith('/endless')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun');
    if (/^\/(endless|silent)/.test(incoming.url ?? '')) return;
    sockets.handleUpgrade(incoming, socket, head, (webSocket) => {
      webSocket.on('message', (data, isBinary) => webSocket.send(data, { binary: isBinary }));
    });
  });
  const port = await listenAsPod(t, web);
  t.after(() => {
    for (const client of sockets.clients) client.terminate();
  });
  const server = await startServer();
  t.after(() => server.close());
  await createPod(server, 'chat', { ip: podAddress, ports: [{ containerPort: port }] });
  const subsets = [{ addresses: [{ ip: podAddress }], ports: [{ port }] }];
  await server.send('POST', `${namespace}/endpoints`, { body: { metadata: { name: 'chat' }, subsets } });
  return { ...server, seen };
}

test('a WebSocket through every proxy path of a pod and a service', limit, async (t) => {
  const server = await runningChat(t);
  for (const path of [
    `${namespace}/pods/chat/proxy/room?a=1`,
    `${namespace}/services/chat/proxy/room?a=1`,
    '/api/v1/proxy/namespaces/one/pods/chat/room?a=1',
    '/api/v1/proxy/namespaces/one/services/chat/room?a=1',
  ]) {
    const headers = { Authorization: 'Bearer secret', 'X-Own': 'kept' };
    const protocols = ['base64url.bearer.authorization.k8s.io.c2VjcmV0', 'chat'];
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, protocols, { headers });
    await once(socket, 'open');
    assert.equal(socket.protocol, 'chat');
    const text = 'x'.repeat(200_000);
    socket.send(text);
    const [data] = (await once(socket, 'message')) as [Buffer];
    assert.equal(data.toString(), text);
    const closed = once(socket, 'close') as Promise<[number]>;
    socket.close(4000);
    assert.equal((await closed)[0], 4000);
    const incoming = server.seen.pop()!;
    assert.equal(incoming.url, '/room?a=1');
    assert.equal(incoming.headers['x-own'], 'kept');
    assert.doesNotMatch(JSON.stringify(incoming.headers), /c2VjcmV0|secret/);
  }
});

test('who refuses to switch is heard as it spoke, and nothing more is sent to it', limit, async (t) => {
  const server = await runningChat(t);
  const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
  const sent = request(`${server.url}${namespace}/pods/chat/proxy/closed`, { headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 403);
  assert.equal(response.headers['x-why'], 'closed');
  const [chunk] = (await once(response, 'data')) as [Buffer];
  assert.equal(chunk.toString(), 'closed');
  assert.equal(server.seen.length, 1);
});

test(
  'a client that leaves before the pod has answered, or in the middle of that, is noticed by the pod',
  limit,
  async (t) => {
    const server = await runningChat(t);
    for (const path of ['/silent', '/endless']) {
      const client = connect(Number(new URL(server.url).port), '127.0.0.1');
      const head = 'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
      client.write(`GET ${namespace}/pods/chat/proxy${path} HTTP/1.1\r\n${head}`);
      while (server.seen.length === 0) await nextTurn();
      if (path === '/endless') await once(client, 'data');
      const left = once(server.seen.pop()!.socket.resume(), 'end');
      client.end();
      await left;
      client.destroy();
    }
  },
);

test('a request for another protocol has no body', limit, async (t) => {
  const server = await runningChat(t);
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const head = 'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n\r\nhello';
  socket.write(`POST ${namespace}/pods/chat/proxy/ HTTP/1.1\r\n${head}`);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  assert.match(chunk.toString(), /^HTTP\/1\.1 400 [^]*cannot have a body/);
  assert.equal(server.seen.length, 0);
  socket.destroy();
});

test('a pod that is gone is a 503 for a WebSocket, too', limit, async (t) => {
  const server = await runningChat(t);
  await createPod(server, 'gone', { ip: '127.64.0.1', ports: [{ containerPort: 1 }] });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${namespace}/pods/gone/proxy/`);
  const [error] = (await once(socket, 'error')) as [Error];
  assert.match(error.message, /503/);
});
