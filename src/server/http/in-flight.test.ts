import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { sendError } from './answer.ts';
import { InFlightLimit } from './in-flight.ts';

describe('InFlightLimit', () => {
  it('refuses with 429 when every place is taken, until one is free again', () => {
    const limit = new InFlightLimit(2);
    const leave = limit.enter();
    limit.enter();
    assert.throws(
      () => limit.enter(),
      (error) => error instanceof ApiError && error.code === 429 && error.status.details?.retryAfterSeconds === 1,
    );
    leave();
    assert.equal(limit.current, 1);
    limit.enter();
    assert.equal(limit.current, 2);
  });

  it('frees a place once, however often that is asked', () => {
    const limit = new InFlightLimit(3);
    const leave = limit.enter();
    limit.enter();
    leave();
    leave();
    assert.equal(limit.current, 1);
  });

  it('takes 400 by default', () => {
    const limit = new InFlightLimit();
    for (let place = 0; place < 400; place++) limit.enter();
    assert.throws(() => limit.enter(), ApiError);
  });

  it('tells clients over HTTP when to come again', async (t) => {
    const limit = new InFlightLimit(1);
    const waiting: ServerResponse[] = [];
    const server = createServer((request, response) => {
      try {
        response.once('close', limit.enter());
        waiting.push(response);
      } catch (error) {
        void sendError({ request, response }, error, { logger: silentLogger, requestId: 'r' });
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const first = get({ port, agent: false });
    const answered = once(first, 'response');
    await once(server, 'request');
    const [refused] = (await once(get({ port, agent: false }), 'response')) as [IncomingMessage];
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers['retry-after'], '1');
    refused.resume();
    waiting[0]?.end();
    const [response] = (await answered) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    response.resume();
  });
});
