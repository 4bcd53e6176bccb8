import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { Connections } from './connections.ts';

describe('connections', () => {
  const clock = new SteppedClock();
  const close: (() => void)[] = [];
  afterEach(() => {
    for (const each of close.splice(0)) each();
  });

  async function serve(
    handler: RequestListener,
  ): Promise<{ connections: Connections; client: Socket; server: Server }> {
    const server = createServer();
    const connections = new Connections(server, clock);
    server.on('request', (request, response) => {
      connections.began(request.socket, response);
      handler(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => {});
    close.push(() => {
      client.destroy();
      server.close();
      server.closeAllConnections();
    });
    return { connections, client, server };
  }

  it('of clients that take nothing of a whole answer are cut', async () => {
    const { client, server } = await serve((_request, response) => response.end(Buffer.alloc(64_000_000)));
    const requested = once(server, 'request');
    client.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [request] = (await requested) as [{ socket: Socket }];
    const closed = once(request.socket, 'close');
    clock.step(30_000);
    assert.equal(request.socket.destroyed, false, 'a client has a while');
    clock.step(30_000);
    await closed;
  });

  it('on which an answer is not over stay', async () => {
    const { client, server } = await serve((_request, response) => response.write('first'));
    const requested = once(server, 'request');
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [request] = (await requested) as [{ socket: Socket }];
    clock.step(300_000);
    assert.equal(request.socket.destroyed, false);
  });
});
