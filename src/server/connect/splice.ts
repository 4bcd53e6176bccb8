import type { Duplex } from 'node:stream';

/**
 * Joins two connections: what one sends, the other gets, each way at the pace of the slower one. An end is passed on as an end, so that the other
 * direction can go on; a connection that breaks takes the other one with it.
 */
export function splice(client: Duplex, server: Duplex): void {
  for (const side of [client, server]) side.on('error', () => undefined);
  if (client.destroyed || server.destroyed) {
    client.destroy();
    server.destroy();
    return;
  }
  client.pipe(server);
  server.pipe(client);
  client.once('close', () => {
    if (!isOver(client)) server.destroy();
  });
  server.once('close', () => {
    if (!isOver(server)) closeWhenSent(client);
  });
}

function isOver(connection: Duplex): boolean {
  return connection.readableEnded && connection.writableFinished;
}

/** What has arrived is still delivered. */
function closeWhenSent(connection: Duplex): void {
  if (connection.writableFinished) {
    connection.destroy();
    return;
  }
  connection.once('finish', () => connection.destroy());
  connection.end();
}
