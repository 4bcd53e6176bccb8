import type { Exchange, RequestedUpgrade } from '../exchange.ts';
import { FrameByFrame } from './frame-by-frame.ts';
import type { Reply } from './send-request.ts';
import { splice } from './splice.ts';

/** Tells the client what the other side answered, and lets the two speak with each other from then on. */
export function switchProtocols(exchange: Exchange, upgrade: RequestedUpgrade, reply: Required<Reply>): void {
  const { message, switched } = reply;
  const { connections } = exchange.context;
  const { socket: client, head } = upgrade;
  client.write(switchingAnswer(message.statusMessage, message.rawHeaders, exchange.requestId), 'latin1');
  const isWebSocket = message.headers.upgrade?.toLowerCase() === 'websocket';
  const toClient = isWebSocket ? new FrameByFrame(client) : client;
  // Not put back where they were read: a side that has said all it had to say takes nothing back.
  if (switched.head.length > 0) toClient.write(switched.head);
  if (head.length > 0) switched.socket.write(head);
  splice(client, switched.socket, toClient);
  const forget = connections.add(() => client.destroy());
  client.once('close', forget);
}

function switchingAnswer(words: string | undefined, rawHeaders: readonly string[], requestId: string): string {
  let text = `HTTP/1.1 101 ${words || 'Switching Protocols'}\r\n`;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  return `${text}Audit-Id: ${requestId}\r\nX-Request-Id: ${requestId}\r\n\r\n`;
}
