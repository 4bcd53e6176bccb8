import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createKeyPair } from '../../access/certificates/key-pair.ts';
import { systemClock } from '../../base/clock.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import type { Handler } from '../../kinds/core/pod/handler.ts';
import { ScriptedContainer, type RunCommand } from '../testing/scripted-container.ts';
import { planFor } from '../testing/scripted-plan.ts';
import { runHandler, type HandlerOutcome, type HandlerTarget } from './run-handler.ts';

async function listen(context: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

function serve(context: TestContext, answer: Answer): Promise<number> {
  const server = createHttpServer(answer);
  context.after(() => server.closeAllConnections());
  return listen(context, server);
}

function targetOf(runCommand: RunCommand, ports: { name: string; containerPort: number }[] = []): HandlerTarget {
  const container = { name: 'main', image: 'x', ports };
  const nothing = (): void => undefined;
  const clock = new SteppedClock();
  const running = new ScriptedContainer({ id: 'c', plan: planFor(container), script: {}, clock, runCommand, warnings: [], onStop: nothing, onRemove: nothing }); // prettier-ignore
  return { container, running, ip: '127.0.0.1' };
}

const idle = targetOf(async () => 0);

function run(handler: Handler, target = idle, timeoutMs = 5000): Promise<HandlerOutcome> {
  return runHandler(handler, target, { clock: systemClock, timeoutMs });
}

async function failureOf(outcome: Promise<HandlerOutcome>): Promise<string> {
  const result = await outcome;
  assert.equal(result.ok, false);
  return (result as { message: string }).message;
}

test('answers from 200 to 399 are successes, all others failures with the beginning of their body', async (context) => {
  const port = await serve(context, (request, response) => {
    response.writeHead(Number(request.url?.slice(1))).end('x'.repeat(100_000));
  });
  for (const status of [200, 204, 302, 399]) {
    assert.deepEqual(await run({ httpGet: { path: `/${status}`, port } }), { ok: true });
  }
  for (const status of [400, 404, 503]) {
    const message = await failureOf(run({ httpGet: { path: `/${status}`, port } }));
    assert.match(message, new RegExp(`status ${status}: x+`));
    assert.ok(message.length < 11_000);
  }
});

test('headers, path and the name of a port are taken from the action', async (context) => {
  let seen: IncomingMessage | undefined;
  const port = await serve(context, (request, response) => {
    seen = request;
    response.end();
  });
  const target = targetOf(async () => 0, [{ name: 'http', containerPort: port }]);
  const httpHeaders = [{ name: 'X-A', value: '1' }, { name: 'X-A', value: '2' }, { name: 'Host', value: 'shop' }]; // prettier-ignore
  assert.deepEqual(await run({ httpGet: { path: 'ok?x=1', port: 'http', httpHeaders } }, target), { ok: true });
  assert.equal(seen?.url, '/ok?x=1');
  assert.equal(seen?.headers['x-a'], '1, 2');
  assert.equal(seen?.headers.host, 'shop');
  assert.match(await failureOf(run({ httpGet: { port: 'other' } }, target)), /no port "other"/);
});

test('over TLS any certificate will do', async (context) => {
  const now = Date.now();
  const pair = await createKeyPair({ subject: { commonName: 'x' }, use: 'server', names: ['other.example'], notBefore: now - 1000, notAfter: now + 60_000 }); // prettier-ignore
  const server = createHttpsServer({ cert: pair.certificate, key: pair.key }, (_, response) => response.end());
  const port = await listen(context, server);
  assert.deepEqual(await run({ httpGet: { port, scheme: 'HTTPS' } }), { ok: true });
});

test('a server that does not answer in time is a failure, and is let go', async (context) => {
  const closed: Promise<unknown>[] = [];
  const port = await serve(context, (request) => closed.push(once(request.socket, 'close')));
  assert.match(await failureOf(run({ httpGet: { port } }, idle, 50)), /longer than 0\.05 seconds/);
  await Promise.all(closed);
});

test('nobody listening, or a path that cannot be sent, is a failure', async (context) => {
  const server = createServer();
  const port = await listen(context, server);
  server.close();
  assert.match(await failureOf(run({ httpGet: { port } })), /ECONNREFUSED/);
  assert.match(await failureOf(run({ tcpSocket: { port } })), /ECONNREFUSED/);
  await failureOf(run({ httpGet: { port, path: '/a\nb' } }));
  await failureOf(run({}));
});

test('an open connection is a success', async (context) => {
  const closed: Promise<unknown>[] = [];
  const server = createServer((socket) => closed.push(once(socket.resume(), 'close')));
  const port = await listen(context, server);
  assert.deepEqual(await run({ tcpSocket: { port } }), { ok: true });
  await Promise.all(closed);
});

test('a command succeeds with exit code 0, and its output tells why it failed', async () => {
  const commands: (readonly string[])[] = [];
  const target = targetOf(async (command, { stdout, stderr }) => {
    commands.push(command);
    stdout.write('out');
    stderr.write('err');
    return Number(command[1]);
  });
  assert.deepEqual(await run({ exec: { command: ['check', '0'] } }, target), { ok: true });
  assert.match(await failureOf(run({ exec: { command: ['check', '3'] } }, target)), /exit code 3: out\nerr/);
  assert.deepEqual(commands, [['check', '0'], ['check', '3']]); // prettier-ignore
});

test('a command that takes too long is killed', async () => {
  let wasKilled = false;
  const target = targetOf(async (_command, { killed }) => {
    await once(killed, 'abort');
    wasKilled = true;
    return 137;
  });
  const clock = new SteppedClock();
  const outcome = runHandler({ exec: { command: ['sleep'] } }, target, { clock, timeoutMs: 2000 });
  await turn();
  clock.step(1999);
  await turn();
  assert.equal(wasKilled, false);
  clock.step(1);
  assert.match(await failureOf(outcome), /longer than 2 seconds/);
  assert.equal(wasKilled, true);
});

test('a command that cannot be started is a failure', async () => {
  const target = targetOf(async () => 0);
  (target.running as ScriptedContainer).end(1);
  assert.match(await failureOf(run({ exec: { command: ['x'] } }, target)), /has ended/);
});

test('headers and paths may be called anything', async (context) => {
  const seen: unknown[] = [];
  const port = await serve(context, ({ url, headers }, response) => {
    seen.push(url, headers['constructor'], headers['x-two'], headers.host);
    response.end();
  });
  const httpHeaders = [
    { name: 'constructor', value: 'a' },
    { name: 'X-Two', value: 'b' },
    { name: 'x-two', value: 'c' },
    { name: 'Host', value: 'first' },
    { name: 'host', value: 'second' },
  ];
  assert.deepEqual(await run({ httpGet: { port, path: '/ä b?c=d%20e', httpHeaders } }), { ok: true });
  assert.deepEqual(seen, ['/%C3%A4%20b?c=d%20e', 'a', 'b, c', 'first']);
});
