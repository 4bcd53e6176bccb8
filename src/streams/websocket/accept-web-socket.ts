import { WebSocketServer, type WebSocket } from 'ws';
import { badRequest } from '../../kinds/meta/api-error.ts';
import { chooseProtocol, type Upgrade } from '../upgrade.ts';
import { base64Framing, binaryFraming, ChannelSocket } from './channel-socket.ts';

const longestMessage = 16 * 1024 * 1024;

/** Takes a WebSocket that speaks one of these sub-protocols and carries so many channels; a client that names none gets the first. */
export async function acceptWebSocket(
  { request, socket, head }: Upgrade,
  protocols: readonly string[],
  channelCount: number,
): Promise<{ readonly channels: ChannelSocket; readonly protocol: string }> {
  const offered = request.headers['sec-websocket-protocol'];
  const protocol = offered === undefined ? protocols[0]! : chooseProtocol(offered, protocols);
  if (protocol === undefined) {
    throw badRequest(`none of the protocols ${String(offered)} is spoken here; use ${protocols.join(', ')}`);
  }
  const framing = protocol.includes('base64.') ? base64Framing : binaryFraming;
  if (channelCount > framing.channelCount) {
    throw badRequest(`${channelCount} channels are asked for, and ${protocol} has ${framing.channelCount}`);
  }
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: longestMessage,
    perMessageDeflate: false,
    handleProtocols: () => (offered === undefined ? false : protocol),
  });
  const connection = await new Promise<WebSocket>((resolve, reject) => {
    server.once('wsClientError', (cause) => reject(badRequest(cause.message, { cause })));
    socket.once('close', () => reject(badRequest('the client left before its connection was a WebSocket')));
    server.handleUpgrade(request, socket, head, resolve);
  });
  return { channels: new ChannelSocket(connection, framing), protocol };
}
