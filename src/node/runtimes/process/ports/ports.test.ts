import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { lineOf, RuntimeFixture } from '../../testing/runtime-fixture.ts';
import { openForTest } from '../testing/open-for-test.ts';
import { addressOf, listeningSockets } from './listening-sockets.ts';

describe('sockets that listen', () => {
  it('are found by their port, connections are not', async (t) => {
    const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.9');
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect(port, '127.0.0.9');
    await once(client, 'connect');
    const found = await listeningSockets(port);
    client.destroy();
    assert.deepEqual(found.map(({ address }) => address), ['127.0.0.9']); // prettier-ignore
    assert.match(found[0]!.inode, /^[1-9]\d*$/);
  });

  it('have addresses that read the same on every processor', () => {
    assert.equal(addressOf('0100007F', 'LE'), '127.0.0.1');
    assert.equal(addressOf('7F000001', 'BE'), '127.0.0.1');
    assert.equal(addressOf('00000000', 'LE'), '0.0.0.0');
    assert.equal(addressOf('0'.repeat(32), 'LE'), '::');
    assert.equal(addressOf('00000000000000000000000001000000', 'LE'), '::1');
    assert.equal(addressOf('0000000000000000FFFF00000100407F', 'LE'), '127.64.0.1');
    assert.equal(addressOf('20010DB8000000000000000000000001', 'BE'), '20010db8000000000000000000000001');
  });
});

describe('ports on the network of the machine', () => {
  it('where somebody else has the better claim to an address, the pod is reached at another', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    const script = `require('node:net').createServer((s) => s.end('from the pod')).listen(0, '127.0.0.1', function () { console.log('port ' + this.address().port); })`;
    const container = await fixture.start({ image: 'node', command: ['node', '-e', script] });
    const port = Number((await lineOf(container, /^port \d+$/)).split(' ')[1]);
    const { ip } = await fixture.runtime.preparePod(fixture.pod('web'));
    const server = createServer((socket) => socket.end('from the host')).listen(port, ip);
    t.after(() => server.close());
    await once(server, 'listening');
    const connection = await fixture.runtime.connect(fixture.pod('web'), port, new AbortController().signal);
    assert.equal(String(await connection.toArray()), 'from the pod');
  });

  it('a refusal says that somebody else listens', async (t) => {
    const fixture = await RuntimeFixture.create(t, openForTest);
    await fixture.start({ script: 'exec sleep 1000' });
    const server = createServer().listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const wish = fixture.runtime.connect(fixture.pod('web'), port, new AbortController().signal);
    await assert.rejects(wish, new RegExp(`port ${port}; what listens there on this machine belongs to somebody else`));
  });
});
