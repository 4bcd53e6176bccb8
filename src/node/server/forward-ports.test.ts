import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { connectionTo, openAgent, type AgentFixture } from '../testing/agent-fixture.ts';
import { dialNode, dialNodeSocket, type NodeConnection } from '../testing/node-connection.ts';
import { until } from '../testing/until.ts';

let fixture: AgentFixture;
let connection: NodeConnection;
beforeEach(async () => {
  fixture = await openAgent();
  connection = connectionTo(fixture);
});
afterEach(() => fixture.close());

describe('ports of a pod', () => {
  let server: Server;
  let port: number;
  const served = new Set<Socket>();
  before(async () => {
    // Gives everything back and ends when the client does.
    server = createServer({ allowHalfOpen: true }, (socket) => {
      served.add(socket);
      socket.once('close', () => served.delete(socket));
      socket.on('error', () => undefined);
      socket.pipe(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  it('are reached over SPDY; a failure is told on its own stream', async () => {
    await fixture.createPod('web');
    const { session } = await dialNode(connection, '/portForward/one/web', 'portforward.k8s.io');
    const open = async (port: number, requestID: string) => {
      const error = await session.openStream({ streamType: 'error', port: String(port), requestID });
      const data = await session.openStream({ streamType: 'data', port: String(port), requestID });
      error.end();
      return { error: textOf(error), reply: textOf(data), data };
    };
    const [first, second] = [await open(port, '1'), await open(port, '2')];
    first.data.end('hello');
    second.data.end('world');
    assert.deepEqual(await Promise.all([first.reply, second.reply, first.error]), ['hello', 'world', '']);
    const nobody = await open(1, '3');
    assert.match(await nobody.error, /port 1 of the pod.*ECONNREFUSED/);
    session.close();
  });

  it('are reached over WebSocket', async () => {
    await fixture.createPod('web');
    const socket = dialNodeSocket(connection, `/portForward/one/web?port=${port}`, 'v4.channel.k8s.io');
    let text = '';
    socket.on('message', (data: Buffer) => {
      if (data[0] === 0) text += data.toString('latin1', 1);
      if (text.endsWith('hello')) socket.close();
    });
    await once(socket, 'open');
    socket.send(Buffer.from('\0hello'));
    await once(socket, 'close');
    assert.equal(text.slice(2), 'hello');
    await until(() => served.size === 0);
  });

  it('are closed when the client leaves in the middle', async () => {
    await fixture.createPod('web');
    const { session, socket } = await dialNode(connection, '/portForward/one/web', 'portforward.k8s.io');
    await session.openStream({ streamType: 'error', port: String(port), requestID: '1' });
    const data = await session.openStream({ streamType: 'data', port: String(port), requestID: '1' });
    data.write('hello');
    await once(data, 'data');
    assert.equal(served.size, 1);
    socket.destroy();
    await until(() => served.size === 0);
  });

  it('leave no descriptor behind, however many connections there were', async () => {
    await fixture.createPod('web');
    const { session } = await dialNode(connection, '/portForward/one/web', 'portforward.k8s.io');
    const descriptors = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
    const use = async (requestID: string): Promise<void> => {
      const error = await session.openStream({ streamType: 'error', port: String(port), requestID });
      const data = await session.openStream({ streamType: 'data', port: String(port), requestID });
      error.end();
      data.end(requestID);
      assert.deepEqual(await Promise.all([textOf(data), textOf(error)]), [requestID, '']);
    };
    await use('first');
    await until(() => served.size === 0);
    const begun = await descriptors();
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 25 }, (_, i) => use(`${round}-${i}`)));
    }
    await until(() => served.size === 0);
    await until(async () => (await descriptors()) <= begun);
    session.close();
  });
});
