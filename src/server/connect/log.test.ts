import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { test } from 'node:test';
import { deferred } from '../../base/deferred.ts';
import { forbidden } from '../../kinds/meta/api-error.ts';
import { fillUp, mostBlocks } from './testing/fill-up.ts';
import { startConnected, type ConnectedServer } from './testing/connected-server.ts';

const log = '/api/v1/namespaces/one/pods/web/log';
const limit = { timeout: 20_000 };

async function open({ url }: ConnectedServer, path: string): Promise<IncomingMessage> {
  const [response] = (await once(get(`${url}${path}`, { agent: false }), 'response')) as [IncomingMessage];
  return response;
}

test('a log comes from the node as text, and the node is asked for what the client asked for', limit, async (t) => {
  const server = await startConnected(t, {
    answer(_request, response) {
      response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'X-Of-Node': 'yes' }).end('one\ntwo\n');
    },
  });
  const answer = await server.send('GET', log);
  assert.equal(answer.code, 200);
  assert.equal(answer.text, 'one\ntwo\n');
  assert.equal(answer.headers['content-type'], 'text/plain');
  assert.equal(answer.headers['x-of-node'], undefined);
  const asked = 'container=main&follow=false&previous=1&timestamps=true&tailLines=5&limitBytes=10&pretty=true';
  await server.send('GET', `${log}?${asked}&sinceSeconds=3`);
  await server.send('GET', `${log}?sinceTime=2016-01-01T00:00:00%2B02:00`);
  assert.deepEqual(server.node.seen, [
    'GET /containerLogs/one/web/main',
    'GET /containerLogs/one/web/main?previous=true&timestamps=true&sinceSeconds=3&tailLines=5&limitBytes=10',
    'GET /containerLogs/one/web/main?sinceTime=2016-01-01T00%3A00%3A00%2B02%3A00',
  ]);
});

test('a followed log arrives line by line, and ends at the node when the client leaves', limit, async (t) => {
  const answers = deferred<ServerResponse>();
  const server = await startConnected(t, {
    answer(_request, response) {
      response.flushHeaders();
      answers.resolve(response);
    },
  });
  const client = await open(server, `${log}?follow=true`);
  const answer = await answers.promise;
  for (const line of ['first\n', 'second\n']) {
    answer.write(line);
    const [chunk] = (await once(client, 'data')) as [Buffer];
    assert.equal(chunk.toString(), line);
  }
  client.destroy();
  await once(answer, 'close');
});

test('a client that does not read holds the node up, and nothing piles up in between', limit, async (t) => {
  const stuck = deferred<number>();
  const server = await startConnected(t, {
    answer: (_request, response) => void fillUp(response).then(stuck.resolve),
  });
  const before = process.memoryUsage.rss();
  const client = await open(server, log);
  client.pause();
  assert.ok((await stuck.promise) < mostBlocks / 2);
  assert.ok(process.memoryUsage.rss() - before < 128 * 1024 * 1024);
  client.destroy();
});

for (const [what, code, type, body, wanted] of [
  ['a Status', 404, 'application/json', '{"kind":"Status","reason":"NotFound","message":"no such container"}', 404],
  ['text', 400, 'text/plain', 'container main is waiting to start\n', 400],
  ['a code that is not for the client', 403, 'text/plain', 'who are you', 500],
  ['what claims to be a Status', 500, 'application/json', '{"kind":"Status","message":{"a":1},"reason":7}', 500],
] as const) {
  test(`a refusal of the node in the form of ${what} becomes a Status`, limit, async (t) => {
    const server = await startConnected(t, {
      answer: (_request, response) => void response.writeHead(code, { 'Content-Type': type }).end(body),
    });
    const answer = await server.send('GET', log);
    assert.equal(answer.code, wanted);
    const { kind, status, message = '', reason = '' } = answer.json();
    assert.deepEqual([kind, status], ['Status', 'Failure']);
    assert.ok(message.length > 0 && reason.length > 0);
    assert.match(message, /no such container|waiting to start|who are you|Status/);
  });
}

test('a log that breaks off at the node breaks off at the client', limit, async (t) => {
  const server = await startConnected(t, {
    answer(_request, response) {
      response.write('half');
      setImmediate(() => response.destroy());
    },
  });
  const client = await open(server, log);
  await assert.rejects(async () => {
    for await (const chunk of client) assert.ok(chunk);
  }, /aborted/);
});

test('a node that is down, silent or gone is told apart from a log that is empty', limit, async (t) => {
  const asked = deferred<void>();
  const server = await startConnected(t, { answer: () => asked.resolve() });
  const silent = server.send('GET', log);
  await asked.promise;
  server.clock.step(30_000);
  const { code, json } = await silent;
  assert.equal(code, 504);
  assert.match(json().message ?? '', /does not answer/);
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
  };
  await server.send('PUT', '/api/v1/nodes/here/status', { body: { metadata: { name: 'here' }, status } });
  const down = await server.send('GET', log);
  assert.equal(down.code, 503);
  assert.match(down.json().message ?? '', /127\.0\.0\.1:1 cannot be reached/);
  await server.send('DELETE', '/api/v1/nodes/here');
  const gone = await server.send('GET', log);
  assert.equal(gone.code, 404);
  assert.match(gone.json().message ?? '', /"here" not found/);
});

test('nobody is asked for what the caller may not read', limit, async (t) => {
  const server = await startConnected(t, {
    authorize: async (_user, { subresource }) => {
      if (subresource) throw forbidden({ resource: 'pods' }, 'not yours');
    },
  });
  assert.equal((await server.send('GET', log)).code, 403);
  assert.equal(server.node.sockets.size, 0);
});

test('a server that closes ends the logs that are followed', limit, async (t) => {
  const server = await startConnected(t, { answer: (_request, response) => response.flushHeaders() });
  const client = await open(server, `${log}?follow=true`);
  server.api.close();
  await assert.rejects(async () => {
    for await (const chunk of client) assert.ok(chunk);
  }, /aborted/);
});
