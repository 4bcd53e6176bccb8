import type { Duplex, Writable } from 'node:stream';

/**
 * Joins two connections: what one sends, the other gets, each way at the pace of the slower one. An end is passed on as an end, so that the other
 * direction can go on; a connection that breaks takes the other one with it. What the server sends can go through `toClient`, which ends the client's
 * connection when it is ended itself.
 */
export function splice(client: Duplex, server: Duplex, toClient: Writable = client): void {
  for (const side of [client, server]) side.on('error', () => undefined);
  if (client.destroyed || server.destroyed) {
    client.destroy();
    server.destroy();
    return;
  }
  client.pipe(server);
  server.pipe(toClient);
  client.once('close', () => {
    if (!isOver(client)) server.destroy();
  });
  server.once('close', () => {
    if (!isOver(server)) closeWhenSent(client, toClient);
  });
}

function isOver(connection: Duplex): boolean {
  return connection.readableEnded && connection.writableFinished;
}

/** What has arrived is still delivered. */
function closeWhenSent(client: Duplex, toClient: Writable): void {
  if (toClient.writableFinished || toClient.destroyed) {
    client.destroy();
    return;
  }
  toClient.once('finish', () => client.destroy());
  toClient.end();
}
