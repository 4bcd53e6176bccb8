import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { KeyPair } from '../../access/certificates/key-pair.ts';
import { SpdySession } from '../../streams/spdy/spdy-session.ts';

/** How a client reaches the endpoint of a node. */
export interface NodeConnection {
  readonly port: number;
  readonly ca: string;
  readonly pair?: KeyPair;
}

function optionsOf({ port, ca, pair }: NodeConnection): object {
  return { host: '127.0.0.1', port, ca, cert: pair?.certificate, key: pair?.key, agent: false };
}

export interface NodeAnswer {
  readonly status: number;
  readonly body: string;
}

export async function getFromNode(connection: NodeConnection, path: string, method = 'GET'): Promise<NodeAnswer> {
  const answer = await openFromNode(connection, path, method);
  let body = '';
  for await (const chunk of answer) body += String(chunk);
  return { status: answer.statusCode ?? 0, body };
}

/** An answer whose body is still to come. */
export async function openFromNode(connection: NodeConnection, path: string, method = 'GET'): Promise<IncomingMessage> {
  const sent = request({ ...optionsOf(connection), path, method });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

/** Upgrades a connection as API servers do for kubectl. Rejects with the answer when the node does not want to. */
export async function dialNode(
  connection: NodeConnection,
  path: string,
  protocol: string,
): Promise<{ readonly session: SpdySession; readonly socket: Socket }> {
  const headers = { Connection: 'Upgrade', Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': protocol };
  const sent = request({ ...optionsOf(connection), path, method: 'POST', headers });
  sent.end();
  const refused = async (): Promise<never> => {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    let body = '';
    for await (const chunk of answer) body += String(chunk);
    throw new Error(`answered with ${answer.statusCode}: ${body}`);
  };
  const upgraded = once(sent, 'upgrade') as Promise<[IncomingMessage, Socket, Buffer]>;
  const [, socket, head] = await Promise.race([upgraded, refused()]);
  return { session: new SpdySession(socket, 'client', head), socket };
}

export function dialNodeSocket(connection: NodeConnection, path: string, protocol: string): WebSocket {
  const { port, ca, pair } = connection;
  return new WebSocket(`wss://127.0.0.1:${port}${path}`, protocol, { ca, cert: pair?.certificate, key: pair?.key });
}
