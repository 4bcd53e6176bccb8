import type { Duplex } from 'node:stream';

/** One of several byte streams over one connection. Ending it says that nothing more is sent; the other side may go on. */
export interface SessionStream extends Duplex {
  /** What the side that opened it said about it. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A connection that carries several streams. */
export interface StreamSession {
  /** Called for every stream that the other side opens. */
  onStream(listener: (stream: SessionStream) => void): void;
  /** Resolves when the connection is gone, whoever ended it. */
  readonly closed: Promise<void>;
  close(): void;
}
