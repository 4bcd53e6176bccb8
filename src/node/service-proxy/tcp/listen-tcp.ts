import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Balancer } from '../balancer.ts';
import { asIpv4 } from '../../../kinds/core/ip-address.ts';
import type { Portal } from '../portal.ts';
import type { PortalListener } from '../portal-listener.ts';
import { dial, type DialParts } from './dial.ts';
import { joinSockets } from './join-sockets.ts';
import { socketOptions } from './socket-options.ts';

export interface ListenTcpOptions extends DialParts {
  readonly portal: Portal;
  /** Who answers a connection that was made to this address of the machine; nobody when absent. */
  balancerFor(localAddress: string): Balancer | undefined;
}

const longestBacklog = 511;

/** Opens a TCP port and connects whoever comes with an endpoint; without one the connection is reset. Rejects with the system's error. */
export async function listenTcp(options: ListenTcpOptions): Promise<PortalListener> {
  const { portal, logger } = options;
  // Nothing is read before there is somebody to pass it to: until then it stays with the sender.
  const server = createServer({ ...socketOptions, pauseOnConnect: true }, (client) => void serve(client, options));
  const { address, port } = portal;
  server.listen({ host: address === '' ? undefined : address, port, backlog: longestBacklog });
  await once(server, 'listening');
  server.on('error', (error) => logger.warn('a service port lost a connection', { port: portal.port, error }));
  const closed = once(server, 'close').then(() => {});
  return {
    close() {
      server.close();
      return closed;
    },
  };
}

async function serve(client: Socket, options: ListenTcpOptions): Promise<void> {
  const { sockets } = options;
  client.on('error', () => {});
  if (sockets.checkFull()) {
    client.resetAndDestroy();
    return;
  }
  sockets.add(client);
  const balancer = options.balancerFor(plainAddress(client.localAddress));
  const server = balancer && (await dial(balancer, plainAddress(client.remoteAddress), options));
  if (!server) client.resetAndDestroy();
  else if (client.destroyed) server.destroy();
  else joinSockets(client, server);
}

/** IPv4 in its own form: sockets for both families give it in terms of IPv6. */
function plainAddress(address = ''): string {
  return asIpv4(address) ?? address;
}
