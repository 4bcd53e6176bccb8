import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

const block = Buffer.alloc(64 * 1024, 'x');
/** 64 MiB, far more than the buffers of a few connections hold. */
export const mostBlocks = 1024;

/**
 * Writes until nothing goes on any more, because every buffer on the way to a reader that does not read is full; gives the number of blocks that were taken.
 * That nothing happens shows only over time.
 */
export async function fillUp(stream: Writable): Promise<number> {
  let sent = 0;
  const write = (): void => {
    while (sent < mostBlocks && stream.write(block)) sent++;
  };
  stream.on('drain', write);
  write();
  for (;;) {
    const before = sent;
    await pause(300);
    if (sent === before) return sent;
  }
}
