/** Connections that go on for as long as somebody likes, so that a server that closes can end them. */
export class OpenConnections {
  readonly #closers = new Set<() => void>();
  #isClosed = false;

  /** Gives a function that takes the connection out again. */
  add(close: () => void): () => void {
    if (this.#isClosed) close();
    else this.#closers.add(close);
    return () => void this.#closers.delete(close);
  }

  close(): void {
    this.#isClosed = true;
    for (const close of this.#closers) close();
    this.#closers.clear();
  }
}
