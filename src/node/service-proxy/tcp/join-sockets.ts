import type { Socket } from 'node:net';

/**
 * Passes on what two sockets say to each other: data at the speed of the slower one, an end of one side as an end of that side alone, and
 * a broken connection as a broken connection. Both must have been opened with `allowHalfOpen`.
 */
export function joinSockets(one: Socket, other: Socket): void {
  pass(one, other);
  pass(other, one);
}

function pass(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on('error', () => to.resetAndDestroy());
  from.on('close', () => {
    // What ended in order has told the other side by then, which may still have data to send.
    if (!from.readableEnded || !from.writableFinished) to.destroy();
  });
}
