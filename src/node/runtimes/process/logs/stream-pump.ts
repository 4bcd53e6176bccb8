import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { deferred } from '../../../../base/deferred.ts';

const chunkSize = 65_536;

/**
 * Reads a FIFO as fast as `take` accepts what it carried, one chunk at a time: nothing is read ahead, so what was not taken when this ends is
 * still in the FIFO for the next reader. The chunk's memory is used again when `take` has resolved.
 */
export class StreamPump {
  /** Resolves when all writers are gone and everything was taken, or after `stop`. */
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  #taking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(path: string, take: (chunk: Buffer) => Promise<void>) {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const ended = deferred<void>();
    const buffer = Buffer.allocUnsafe(chunkSize);
    const callback = (length: number): boolean => {
      this.#taking = take(buffer.subarray(0, length)).finally(() => {
        if (!this.#stopped) this.#socket.resume();
      });
      this.#taking.catch((error: unknown) => this.#socket.destroy(error as Error));
      return false;
    };
    this.ended = ended.promise;
    // Who waits for the end hears of a failure; until somebody does, it is none of anybody's.
    this.ended.catch(() => {});
    try {
      // `onread` is missing from the types of the constructor, which takes it as `connect` does.
      const options: object = { fd, readable: true, writable: false, onread: { buffer, callback } };
      this.#socket = new Socket(options);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.#socket.on('error', ended.reject);
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.on('close', () => ended.resolve());
    this.#socket.resume();
  }

  /** Ends reading when the chunk under way has been taken. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#taking.catch(() => {});
    this.#socket.destroy();
    await this.ended.catch(() => {});
  }
}
