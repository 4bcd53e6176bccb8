import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { silentLogger } from '../../base/logger.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { listen } from './listener.ts';
import { allowLongBody } from './long-body.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const limit = { timeout: 20_000 };
const silenceMs = 120_000;

/** A connection to a server on which requests have 100 ms, and those that a body is announced of have sent their first bytes. */
async function converse(t: TestContext, handler: Handler): Promise<Socket> {
  const listener = await listen({
    handler,
    onUpgrade: (_request, socket) => void socket.destroy(),
    logger: silentLogger,
    address: '127.0.0.1',
    port: 0,
    closeGraceMs: 0,
    timeouts: { headers: 50, request: 100, check: 20 },
  });
  t.after(() => listener.close());
  const socket = connect(listener.port, '127.0.0.1');
  socket.on('error', () => undefined);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n';

/** Sends the rest of a body bit by bit, for three times as long as others have. */
async function trickle(socket: Socket): Promise<void> {
  for (let i = 0; i < 10; i++) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    socket.write('0123456789');
  }
}

describe('a body that is passed on', limit, () => {
  it('may take longer than others as long as it comes, and the next request may not', async (t) => {
    const socket = await converse(t, async (request, response) => {
      if (request.url === '/') allowLongBody({ request, response, clock: systemClock });
      const body = await text(request).catch(() => '');
      response.end(`${body.length} bytes`);
    });
    socket.write(head);
    const answered = once(socket, 'data');
    await trickle(socket);
    assert.match(String((await answered)[0]), /^HTTP\/1\.1 200 [^]*100 bytes$/);
    socket.write(head.replace('POST /', 'POST /other'));
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 408 /);
  });

  it('goes on coming after the answer has begun', async (t) => {
    const socket = await converse(t, async (request, response) => {
      allowLongBody({ request, response, clock: systemClock });
      response.writeHead(200, { Connection: 'close' }).flushHeaders();
      response.end(`${(await text(request)).length} bytes`);
    });
    socket.write(head);
    const answer = text(socket);
    await trickle(socket);
    assert.match(await answer, /100 bytes/);
  });

  it('is given up when nothing comes any more', async (t) => {
    const clock = new SteppedClock();
    const begun = deferred<IncomingMessage>();
    const socket = await converse(t, (request, response) => {
      allowLongBody({ request, response, clock });
      request.on('error', () => undefined).resume();
      begun.resolve(request);
    });
    const ended = once(socket.resume(), 'close');
    socket.write(head);
    const request = await begun.promise;
    for (let i = 0; i < 3; i++) {
      const came = once(request, 'data');
      socket.write('0123456789');
      await came;
      clock.step(silenceMs);
      assert.equal(request.socket.destroyed, false);
    }
    clock.step(silenceMs);
    assert.equal(request.socket.destroyed, true);
    await ended;
  });

  it('is waited for while whoever gets it holds it back', async (t) => {
    const clock = new SteppedClock();
    const begun = deferred<IncomingMessage>();
    const socket = await converse(t, (request, response) => {
      allowLongBody({ request, response, clock });
      request.pause();
      request.on('end', () => response.end('done')).on('error', () => undefined);
      begun.resolve(request);
    });
    socket.write(`${head}0123456789`);
    const request = await begun.promise;
    clock.step(10 * silenceMs);
    const answered = once(socket, 'data');
    request.resume();
    socket.write('9'.repeat(90));
    assert.match(String((await answered)[0]), /^HTTP\/1\.1 200 /);
  });

  it('has no more time than others once it is answered', async (t) => {
    const clock = new SteppedClock();
    const socket = await converse(t, (request, response) => {
      allowLongBody({ request, response, clock });
      request.pause();
      response.end('enough');
    });
    socket.write(`${head}0123456789`);
    await once(socket, 'data');
    const ended = once(socket, 'close');
    // The server may be a turn later than its answer.
    const timer = setInterval(() => clock.step(silenceMs), 10);
    t.after(() => clearInterval(timer));
    await ended;
  });
});
