import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { SpdySession } from '../spdy/spdy-session.ts';
import type { Upgrade } from '../upgrade.ts';

/** A real HTTP server whose upgrades the test takes; gives its port. */
export async function serveUpgrades(context: TestContext, take: (upgrade: Upgrade) => Promise<void>): Promise<number> {
  const server = createServer();
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.on('upgrade', (incoming, socket, head) => {
    take({ request: incoming, socket, head }).catch((error: unknown) => {
      socket.end(`HTTP/1.1 400 Bad Request\r\nX-Why: ${String(error)}\r\n\r\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export interface SpdyClient {
  readonly session: SpdySession;
  readonly response: IncomingMessage;
}

export interface DialOptions {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Upgrades a connection as kubectl does. Rejects with the answer's status and body when the server does not want to. */
export async function dialSpdy(
  port: number,
  protocols: readonly string[],
  options: DialOptions = {},
): Promise<SpdyClient> {
  const { path = '/', method = 'POST' } = options;
  const own = { Connection: 'Upgrade', Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': [...protocols] };
  const sent = request({ port, host: '127.0.0.1', method, path, headers: { ...own, ...options.headers } });
  sent.end();
  const answer = await Promise.race([
    once(sent, 'upgrade') as Promise<[IncomingMessage, Socket, Buffer]>,
    (once(sent, 'response') as Promise<[IncomingMessage]>).then(async ([response]) => {
      throw new Error(`answered with ${response.statusCode}: ${await textOf(response)}`);
    }),
  ]);
  const [response, socket, head] = answer;
  return { session: new SpdySession(socket, 'client', head), response };
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  return text;
}
