import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { systemClock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { silentLogger } from '../../base/logger.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { CertificateKeeper } from '../../access/certificates/certificate-keeper.ts';
import { memoryPairStore } from '../../access/certificates/pair-store.ts';
import { sendJson, sendText } from './answer.ts';
import { readBody } from './body.ts';
import { listen, type Listener, type ListenOptions } from './listener.ts';
import { plainJson } from './negotiate.ts';

async function open(t: TestContext, options: Partial<ListenOptions>): Promise<Listener> {
  const listener = await listen({
    handler: (request, response) => sendText({ request, response }, { code: 200, text: request.url ?? '' }),
    onUpgrade: (_request, socket) => void socket.destroy(),
    logger: silentLogger,
    address: '127.0.0.1',
    port: 0,
    closeGraceMs: 0,
    ...options,
  });
  t.after(() => listener.close());
  return listener;
}

/** Sends text as it is and gives all that comes back until the server closes. */
async function converse({ port }: Listener, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  return Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
}

const get = (path: string, ...headers: string[]): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`;

async function connectRaw({ port }: Listener): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

describe('a listener', () => {
  it('answers pipelined requests in their order, however long each takes', async (t) => {
    const slow = deferred<void>();
    const listener = await open(t, {
      async handler(request, response) {
        if (request.url === '/1') await slow.promise;
        else slow.resolve();
        await sendJson({ request, response }, { code: 200, body: { path: request.url }, format: plainJson });
      },
    });
    const answers = await converse(listener, get('/1') + get('/2') + get('/3', 'Connection: close'));
    assert.deepEqual(
      [...answers.matchAll(/"path":"(\/\d)"/g)].map((match) => match[1]),
      ['/1', '/2', '/3'],
    );
    assert.equal(answers.match(/HTTP\/1\.1 200 OK/g)?.length, 3);
  });

  it('keeps connections open between requests', async (t) => {
    const listener = await open(t, {});
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let round = 0; round < 3; round++) {
      const sent = httpRequest({ port: listener.port, agent });
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      ports.add(response.socket.localPort);
      await response.toArray();
    }
    agent.destroy();
    assert.equal(ports.size, 1);
  });

  for (const [what, text] of [
    ['a malformed request line', 'NONSENSE\r\n\r\n'],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a malformed header', 'GET / HTTP/1.1\r\nHost: a\r\nBad Header\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ] as const) {
    it(`answers ${what} with 400 and a Status`, async (t) => {
      const answer = await converse(await open(t, {}), text);
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.match(answer, /"kind":"Status".*"code":400/);
    });
  }

  it('answers headers that are too large with 431', async (t) => {
    const answer = await converse(await open(t, {}), get('/', `X-Large: ${'x'.repeat(40_000)}`));
    assert.match(answer, /^HTTP\/1\.1 431 /);
  });

  it('finishes the answers before a malformed request, then refuses it', async (t) => {
    const slow = deferred<void>();
    const listener = await open(t, {
      async handler(request, response) {
        await slow.promise;
        await sendText({ request, response }, { code: 200, text: `answer to ${request.url}` });
      },
    });
    const socket = await connectRaw(listener);
    socket.write(`${get('/1')}${get('/2')}NONSENSE\r\n\r\n`, () => slow.resolve());
    const answers = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
    assert.match(answers, /answer to \/1HTTP\/1.1 200 OK[^]*answer to \/2HTTP\/1.1 400 Bad Request/);
  });

  it('answers a malformed body with 400 and lets its reader know', async (t) => {
    const failed = deferred<unknown>();
    const listener = await open(t, {
      async handler(request) {
        await readBody(request).catch(failed.resolve);
      },
    });
    const answer = await converse(listener, 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(String(await failed.promise), /connection ended/);
  });

  it('answers a body that does not come with 408', async (t) => {
    const failed = deferred<unknown>();
    const listener = await open(t, {
      timeouts: { headers: 50, request: 100, check: 20 },
      async handler(request) {
        await readBody(request).catch(failed.resolve);
      },
    });
    const answer = await converse(listener, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nslow');
    assert.match(answer, /^HTTP\/1\.1 408 /);
    assert.match(String(await failed.promise), /connection ended/);
  });

  it('closes connections on which no request comes', async (t) => {
    const listener = await open(t, { timeouts: { headers: 50, request: 100, check: 20 } });
    assert.match(await converse(listener, 'GET / HT'), /^HTTP\/1\.1 408 /);
  });

  it('lets a client with Expect: 100-continue keep a body that is too large', async (t) => {
    const listener = await open(t, {
      async handler(request, response) {
        const code = await readBody(request).then(
          () => 200,
          () => 413,
        );
        response.writeHead(code, { Connection: 'close' }).end();
      },
    });
    const post = (length: number): string =>
      `POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    assert.match(await converse(listener, post(10_000_000)), /^HTTP\/1\.1 413 /);
    assert.match(await converse(listener, `${post(4)}body`), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  it('survives a handler that throws', async (t) => {
    const listener = await open(t, { handler: () => Promise.reject(new Error('bug')) });
    await converse(listener, get('/')).then(
      (answer) => assert.equal(answer, ''),
      (error: NodeJS.ErrnoException) => assert.equal(error.code, 'ECONNRESET'),
    );
  });

  it('hands over upgrades', async (t) => {
    const listener = await open(t, {
      onUpgrade: (request, socket, head) =>
        void socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\n${request.url} ${head.toString()}`),
    });
    const answer = await converse(listener, `${get('/exec', 'Connection: Upgrade', 'Upgrade: test')}more`);
    assert.match(answer, /^HTTP\/1\.1 101 [^]*\/exec more$/);
  });

  it('rejects when the port is taken', async (t) => {
    const first = await open(t, {});
    await assert.rejects(open(t, { port: first.port }), { code: 'EADDRINUSE' });
  });
});

describe('closing a listener', () => {
  /** A listener whose requests wait, and one request that waits. */
  async function openWaiting(
    t: TestContext,
    options: Partial<ListenOptions> = {},
  ): Promise<{ listener: Listener; socket: Socket; response: ServerResponse }> {
    const arrived = deferred<ServerResponse>();
    const listener = await open(t, { handler: (_request, response) => arrived.resolve(response), ...options });
    const socket = await connectRaw(listener);
    socket.write(get('/'));
    return { listener, socket, response: await arrived.promise };
  }

  it('lets a running request finish and says that the connection ends', async (t) => {
    const { listener, socket, response } = await openWaiting(t, { closeGraceMs: 60_000 });
    const closed = listener.close();
    response.end('done');
    const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
    assert.match(answer, /Connection: close[^]*done/);
    await closed;
    await assert.rejects(converse(listener, get('/')), { code: 'ECONNREFUSED' });
  });

  it('ends connections that are idle or have sent nothing at once', async (t) => {
    const listener = await open(t, { closeGraceMs: 60_000 });
    const silent = await connectRaw(listener);
    const idle = await connectRaw(listener);
    idle.write(get('/'));
    await once(idle, 'data');
    const ended = [silent, idle].map((socket) => once(socket.resume(), 'close'));
    await listener.close();
    await Promise.all(ended);
  });

  it('cuts what is still running after the grace period', async (t) => {
    const clock = new SteppedClock();
    const { listener, socket } = await openWaiting(t, { clock, closeGraceMs: 5_000 });
    const ended = once(socket.resume(), 'close');
    const closed = listener.close();
    clock.step(4_999);
    assert.equal(socket.closed, false);
    clock.step(1);
    await Promise.all([closed, ended]);
  });

  it('cuts upgraded connections at once', async (t) => {
    const upgraded = deferred<void>();
    const listener = await open(t, { closeGraceMs: 60_000, onUpgrade: () => upgraded.resolve() });
    const socket = await connectRaw(listener);
    socket.write(get('/', 'Connection: Upgrade', 'Upgrade: test'));
    await upgraded.promise;
    const ended = once(socket.resume(), 'close');
    await Promise.all([listener.close(), ended]);
  });

  it('can be asked for twice', async (t) => {
    const listener = await open(t, {});
    await Promise.all([listener.close(), listener.close()]);
  });
});

describe('a listener with TLS', () => {
  async function certificates(t: TestContext): Promise<CertificateKeeper> {
    const options = { store: memoryPairStore(), names: ['127.0.0.1'], clock: systemClock, logger: silentLogger };
    const keeper = await CertificateKeeper.open(options);
    t.after(() => keeper.close());
    return keeper;
  }

  async function openSecure(
    t: TestContext,
    options: Partial<ListenOptions> = {},
  ): Promise<{ listener: Listener; ca: string; keeper: CertificateKeeper }> {
    const keeper = await certificates(t);
    const { serving, authority } = keeper.current;
    const tls = { key: serving.key, cert: serving.certificate, ca: authority, requestClientCert: true };
    return { listener: await open(t, { tls, ...options }), ca: authority, keeper };
  }

  it('speaks TLS 1.3 with the cheapest cipher, and HTTP/1.1 even to clients that offer HTTP/2', async (t) => {
    const { listener, ca } = await openSecure(t);
    const socket = connectTls({ port: listener.port, host: '127.0.0.1', ca, ALPNProtocols: ['h2', 'http/1.1'] });
    await once(socket, 'secureConnect');
    assert.equal(socket.getProtocol(), 'TLSv1.3');
    assert.equal(socket.getCipher().standardName, 'TLS_AES_128_GCM_SHA256');
    assert.equal(socket.alpnProtocol, 'http/1.1');
    socket.destroy();
  });

  it('refuses TLS 1.1', async (t) => {
    const { listener, ca } = await openSecure(t);
    const socket = connectTls({
      port: listener.port,
      host: '127.0.0.1',
      ca,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL:@SECLEVEL=0',
    });
    await assert.rejects(once(socket, 'secureConnect'));
  });

  it('resumes sessions, and the client is still who it was', async (t) => {
    const seen: unknown[] = [];
    const { listener, ca, keeper } = await openSecure(t, {
      handler(request, response) {
        const { authorized } = request.socket as TLSSocket;
        seen.push(authorized ? (request.socket as TLSSocket).getPeerCertificate().subject.CN : undefined);
        response.end();
      },
    });
    const { certificate: cert, key } = keeper.current.admin;
    let session: Buffer | undefined;
    for (const reused of [false, true]) {
      const options = { port: listener.port, host: '127.0.0.1', servername: '', ca, cert, key, session, agent: false };
      const sent = httpsRequest(options);
      sent.on('socket', (socket) => socket.on('session', (ticket: Buffer) => (session = ticket)));
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      assert.equal((response.socket as TLSSocket).isSessionReused(), reused);
      await response.toArray();
    }
    const { subject } = new X509Certificate(cert);
    const name = /^CN=(.*)$/m.exec(subject)?.[1];
    assert.deepEqual(seen, [name, name]);
    assert.ok(name);
  });

  it('takes clients without a certificate', async (t) => {
    const { listener, ca } = await openSecure(t);
    const sent = httpsRequest({ port: listener.port, host: '127.0.0.1', servername: '', ca, agent: false, path: '/x' });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    assert.equal(Buffer.concat((await response.toArray()) as Buffer[]).toString(), '/x');
  });

  it('lets a client that has said all hear the rest of an upgraded connection, and closes others', async (t) => {
    const { listener, ca } = await openSecure(t, {
      onUpgrade(_request, socket) {
        socket.on('end', () => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nheard all'));
        socket.resume();
      },
    });
    const options = { port: listener.port, host: '127.0.0.1', ca, allowHalfOpen: true };
    const upgraded = connectTls(options, () => upgraded.end(get('/', 'Connection: Upgrade', 'Upgrade: test')));
    assert.match(Buffer.concat((await upgraded.toArray()) as Buffer[]).toString(), /heard all$/);
    const idle = connectTls(options, () => idle.end());
    await once(idle.resume(), 'end');
  });

  it('survives clients that speak no TLS, and closes with them connected', async (t) => {
    const { listener } = await openSecure(t);
    await converse(listener, get('/')).catch(() => {});
    const silent = await connectRaw(listener);
    const ended = once(silent.resume(), 'close');
    await Promise.all([listener.close(), ended]);
  });
});
