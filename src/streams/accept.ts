import type { Clock } from '../base/clock.ts';
import { badRequest } from '../kinds/meta/api-error.ts';
import type { CommandRequest, CommandStreams, PortForwarding } from './command-streams.ts';
import { acceptSpdyCommand } from './spdy/spdy-command.ts';
import { acceptSpdyPortForward } from './spdy/spdy-port-forward.ts';
import type { Upgrade } from './upgrade.ts';
import { acceptWebSocketCommand } from './websocket/web-socket-command.ts';
import { acceptWebSocketPortForward } from './websocket/web-socket-port-forward.ts';

/** Takes a client that wants to run or attach to a command, in whichever protocol it speaks. */
export function acceptCommand(upgrade: Upgrade, request: CommandRequest, clock: Clock): Promise<CommandStreams> {
  return isWebSocket(upgrade) ? acceptWebSocketCommand(upgrade, request) : acceptSpdyCommand(upgrade, request, clock);
}

/** Takes a client that wants to forward ports. `ports` are those of the query, which only WebSocket clients name. */
export async function acceptPortForward(upgrade: Upgrade, ports: readonly number[]): Promise<PortForwarding> {
  return isWebSocket(upgrade) ? acceptWebSocketPortForward(upgrade, ports) : acceptSpdyPortForward(upgrade);
}

function isWebSocket({ request }: Upgrade): boolean {
  const protocol = request.headers.upgrade?.toLowerCase() ?? '';
  if (protocol !== 'websocket' && !protocol.startsWith('spdy/3')) {
    throw badRequest(`the connection must become SPDY/3.1 or websocket, not "${protocol}"`);
  }
  return protocol === 'websocket';
}
