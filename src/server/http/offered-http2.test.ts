import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { sendText } from './answer.ts';
import { readBody } from './body.ts';
import { listen, type Listener } from './listener.ts';

const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAA\r\n';

/** Answers with what it was sent, and takes no upgrades. */
async function openEcho(t: TestContext): Promise<Listener> {
  const listener = await listen({
    async handler(request, response) {
      const body = await readBody(request);
      const { method, url, headers } = request;
      const offered = [headers.upgrade, headers['http2-settings'], headers.connection].filter(Boolean);
      await sendText(
        { request, response },
        { code: 200, text: `${method} ${url} ${String(body)} [${offered.join()}]` },
      );
    },
    onUpgrade: (_request, socket) => void socket.destroy(),
    logger: silentLogger,
    address: '127.0.0.1',
    port: 0,
    closeGraceMs: 0,
  });
  t.after(() => listener.close());
  return listener;
}

function post(path: string, body: string, ...headers: string[]): string {
  const own = headers.map((header) => `${header}\r\n`).join('');
  return `POST ${path} HTTP/1.1\r\nHost: a\r\n${own}Content-Length: ${body.length}\r\n\r\n${body}`;
}

async function converse({ port }: Listener, ...texts: string[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1');
  const answers: string[] = [];
  for (const text of texts) {
    socket.write(text);
    answers.push(await new Promise((resolve) => socket.once('data', (data: Buffer) => resolve(String(data)))));
  }
  socket.destroy();
  return answers.map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4));
}

test('a request with a body that offers HTTP/2 is answered as if it did not', async (t) => {
  const listener = await openEcho(t);
  const offering = post('/a', 'hello', offer.trimEnd());
  assert.deepEqual(await converse(listener, offering), ['POST /a hello []']);
});

test('the connection stays for further requests, whether or not they offer HTTP/2', async (t) => {
  const listener = await openEcho(t);
  const texts = Array.from({ length: 20 }, (_, i) => post(`/${i}`, `body ${i}`, ...(i % 3 ? [offer.trimEnd()] : [])));
  const warnings: unknown[] = [];
  const note = (warning: unknown): void => void warnings.push(warning);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  assert.deepEqual(
    await converse(listener, ...texts),
    texts.map((_, i) => `POST /${i} body ${i} []`),
  );
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(warnings, []);
});

test('a body that comes later, and what else Connection says, is not lost', async (t) => {
  const { port } = await openEcho(t);
  const socket = connect(port, '127.0.0.1');
  const headers = 'Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n';
  socket.write(`POST /late HTTP/1.1\r\nHost: a\r\n${headers}\r\n5\r\nhello\r\n`);
  await new Promise((resolve) => setImmediate(resolve));
  socket.write('6\r\n there\r\n0\r\n\r\n');
  const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
  assert.match(answer, /\r\n\r\nPOST \/late hello there \[close\]$/);
});
