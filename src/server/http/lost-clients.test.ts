import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { test } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { listen } from './listener.ts';

const reason = process.platform === 'linux' ? false : 'the kernel tells of its timers in /proc on Linux only';
/** What the kernel calls the timer that looks whether the other side is still there. */
const probing = '02';

/** The timer that runs for the connection of a local port from a remote one. */
async function timerOf(local: number, remote: number): Promise<string | undefined> {
  const port = (number: number): string => `:${number.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const row = rows.find(([, from, to]) => from?.endsWith(port(local)) && to?.endsWith(port(remote)));
  return row?.[5]?.split(':')[0];
}

test(
  'the machine looks whether clients that have fallen silent are still there',
  { skip: reason, timeout: 10_000 },
  async (t) => {
    const listener = await listen({
      handler: (_request, response) => response.writeHead(200).flushHeaders(),
      onUpgrade: (_request, socket) => void socket.destroy(),
      logger: silentLogger,
      address: '127.0.0.1',
      port: 0,
      closeGraceMs: 0,
    });
    t.after(() => listener.close());
    const client = connect(listener.port, '127.0.0.1');
    t.after(() => client.destroy());
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(client, 'data');
    // Until the client has acknowledged what it was sent, that has the timer.
    while ((await timerOf(listener.port, client.localPort ?? 0)) !== probing);
  },
);
