import { once } from 'node:events';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

/** How a server is reached: the port on this machine, and the client certificate to show. */
export interface Access {
  readonly port: number;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** All connections of a process read into one buffer: what comes in is only looked at. */
const arrivals = Buffer.allocUnsafe(256 * 1024);

/** Opens a TLS connection that hands over its bytes as they come; they are valid until the callback returns. */
export async function openSocket(access: Access, onBytes: (bytes: Buffer) => void): Promise<TLSSocket> {
  const { port, ca, cert, key } = access;
  const onread = {
    buffer: arrivals,
    callback(length: number): boolean {
      onBytes(arrivals.subarray(0, length));
      return true;
    },
  };
  // The declared type leaves out that these options are handed on to the socket.
  const options = { host: '127.0.0.1', servername: 'localhost', port, ca, cert, key, onread };
  const socket = connect(options satisfies ConnectionOptions as ConnectionOptions);
  await once(socket, 'secureConnect');
  socket.setNoDelay(true);
  return socket;
}

const headEnd = Buffer.from('\r\n\r\n');

/** One keep-alive connection that carries one request at a time and reads no more of the answer than its length. */
export class Connection {
  readonly #onError: (error: Error) => void;
  #socket: TLSSocket | undefined;
  #head = Buffer.alloc(0);
  /** Bytes of the body still to come; 0 while the head is awaited. */
  #left = 0;
  #onAnswer: (() => void) | undefined;

  private constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  static async open(access: Access, onError: (error: Error) => void): Promise<Connection> {
    const connection = new Connection(onError);
    const socket = await openSocket(access, (bytes) => connection.#read(bytes));
    socket.on('error', onError).on('close', () => onError(new Error('the server closed a connection')));
    connection.#socket = socket;
    return connection;
  }

  send(request: Buffer, onAnswer: () => void): void {
    this.#onAnswer = onAnswer;
    this.#socket?.write(request);
  }

  #read(bytes: Buffer): void {
    if (this.#left > 0) {
      this.#left -= bytes.length;
      if (this.#left <= 0) this.#finish();
      return;
    }
    const seen = this.#head.length > 0 ? Buffer.concat([this.#head, bytes]) : bytes;
    const end = seen.indexOf(headEnd);
    if (end < 0) {
      this.#head = Buffer.from(seen);
      return;
    }
    this.#head = Buffer.alloc(0);
    const head = seen.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 20') || length === undefined) {
      this.#onError(new Error(`unexpected answer: ${seen.toString('utf8', 0, 2000)}`));
      return;
    }
    this.#left = Number(length) - (seen.length - end - headEnd.length);
    if (this.#left <= 0) this.#finish();
  }

  #finish(): void {
    this.#left = 0;
    this.#onAnswer?.();
  }
}
