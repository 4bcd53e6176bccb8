import type { Server } from 'node:http';

/** Endpoints and proxies know well within this that a pod is on its way out. */
const quietMs = 1000;
/** Whoever still comes after this does not go by the endpoints. */
const longestMs = 10_000;
const lookMs = 50;

/**
 * Ends the process when it is told to, without losing a request. A pod is told at the same moment as everybody else that it goes, so clients are still sent to
 * it for a while, and closing the port at once would cut off those whose connections wait to be taken. It therefore goes on answering, and
 * asks clients to come over another connection next time; when nobody has come for a second it closes the port, finishes
 * what is under way and ends. Told a second time, it ends at once.
 */
export function endInOrder(server: Server): void {
  let isEnding = false;
  let quiet: NodeJS.Timeout | undefined;
  server.on('connection', () => quiet?.refresh());
  server.prependListener('request', (_request, response) => {
    quiet?.refresh();
    if (isEnding) response.setHeader('Connection', 'close');
  });
  const end = (): void => {
    if (isEnding) process.exit(0);
    isEnding = true;
    if (!server.listening) process.exit(0);
    quiet = setTimeout(() => close(server), quietMs);
    setTimeout(() => close(server), longestMs);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const) process.on(signal, end);
}

function close(server: Server): void {
  if (!server.listening) return;
  server.close(() => process.exit(0));
  // Connections whose last request was under way are kept by clients for a next one that nobody would answer.
  setInterval(() => server.closeIdleConnections(), lookMs);
}
