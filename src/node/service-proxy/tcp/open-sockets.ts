import type { Socket } from 'node:net';

export interface OpenSocketsOptions {
  /** How many there may be. */
  readonly bound: number;
  /** Called when that many are open, and again only after half of them were closed. */
  onFull(): void;
}

/** The sockets that a proxy has open. */
export class OpenSockets {
  readonly #options: OpenSocketsOptions;
  readonly #sockets = new Set<Socket>();
  #isFullTold = false;
  #isClosed = false;

  constructor(options: OpenSocketsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sockets.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether no more may be opened. */
  checkFull(): boolean {
    if (this.#sockets.size < this.#options.bound) return false;
    if (!this.#isFullTold) this.#options.onFull();
    this.#isFullTold = true;
    return true;
  }

  /** Counts the socket until it is closed. Ends it at once when all were told to close. */
  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size <= this.#options.bound / 2) this.#isFullTold = false;
    });
    if (this.#isClosed) socket.destroy();
  }

  /** Ends all, and those that are still to come. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sockets].map(destroyed));
  }
}

/** One that breaks in the same moment is closed as well. */
function destroyed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.destroy();
  });
}
