import type { Duplex, Readable, Writable } from 'node:stream';
import type { Status } from '../kinds/meta/status.ts';

/** Which streams a client asked for. */
export interface CommandRequest {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The client's end of a command that runs in a container, or of one that it attached to. */
export interface CommandStreams {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** Absent with a terminal, which has only one output. */
  readonly stderr?: Writable;
  /** Called whenever the client's window has another size. */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Says how it went, after all output, and ends the connection. */
  finish(outcome: Status): Promise<void>;
  /** Sends something that means nothing. A client that has left is noticed by that, even while nothing that it sent is read. */
  ping(): void;
  /** Resolves when the connection is gone, whoever ended it. */
  readonly closed: Promise<void>;
  close(): void;
}

/** A connection to a port of a pod: what arrives on `data` is for the port, and the other way round. */
export interface ForwardedConnection {
  readonly port: number;
  readonly data: Duplex;
  /** Ends the connection with a message that the client shows. */
  fail(message: string): void;
}

/** A client that forwards ports: many connections, to several ports. */
export interface PortForwarding {
  onConnection(listener: (connection: ForwardedConnection) => void): void;
  /** As above. */
  ping(): void;
  readonly closed: Promise<void>;
  close(): void;
}
