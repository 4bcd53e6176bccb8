import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { deferred } from '../../base/deferred.ts';
import { silentLogger } from '../../base/logger.ts';
import { sendText } from './answer.ts';
import { listen } from './listener.ts';

test(
  'a protocol changes only when what was asked before on the connection is answered',
  { timeout: 10_000 },
  async (t) => {
    for (const protocol of ['echo', 'h2c']) {
      const slow = deferred<void>();
      const listener = await listen({
        async handler(request, response) {
          if (request.url === '/slow') await slow.promise;
          await sendText({ request, response }, { code: 200, text: `answered ${request.url}` });
        },
        onUpgrade: (request, socket) => void socket.end(`HTTP/1.1 101 Changed\r\n\r\nchanged ${request.url}`),
        logger: silentLogger,
        address: '127.0.0.1',
        port: 0,
        closeGraceMs: 0,
      });
      t.after(() => listener.close());
      const socket = connect(listener.port, '127.0.0.1');
      const asking = `Host: a\r\nConnection: Upgrade, close\r\nUpgrade: ${protocol}\r\n\r\n`;
      socket.write(`GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\n${asking}`);
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      slow.resolve();
      const answers = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
      assert.deepEqual(answers.match(/(answered|changed) \/[a-z]+/g), [
        'answered /slow',
        protocol === 'h2c' ? 'answered /next' : 'changed /next',
      ]);
    }
  },
);
