import { constants, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { GrpcError, grpcCodes } from './grpc-error.ts';
import { frame, FrameReader } from './grpc-frames.ts';

export interface GrpcListener {
  onMessage(message: Buffer): void;
  /** Called once, at the end, whoever ended it; without an error when all went well. */
  onEnd(error?: GrpcError): void;
}

export interface GrpcStreamOptions {
  /** Service and method, with slashes. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly listener: GrpcListener;
}

/** One call: messages go out and come in until it ends. */
export class GrpcStream {
  readonly #stream: ClientHttp2Stream;
  readonly #listener: GrpcListener;
  readonly #frames = new FrameReader();
  #failure: GrpcError | undefined;
  #outcome: GrpcError | 'succeeded' | undefined;
  #ended = false;

  /** Throws a `GrpcError` when the session is no longer there. */
  constructor(session: ClientHttp2Session, { path, headers, listener }: GrpcStreamOptions) {
    this.#listener = listener;
    this.#stream = startedStream(session, path, headers);
    this.#stream.on('response', (received) => this.#onHeaders(received));
    this.#stream.on('trailers', (received) => this.#onTrailers(received));
    this.#stream.on('data', (piece: Buffer) => this.#onData(piece));
    this.#stream.on('error', (cause: Error) => {
      this.#failure ??= new GrpcError(grpcCodes.unavailable, `the connection failed: ${cause.message}`, { cause });
    });
    this.#stream.on('close', () => this.#onClose());
  }

  send(message: Buffer): void {
    if (!this.#stream.destroyed) this.#stream.write(frame(message));
  }

  /** Says that nothing more is sent. */
  finish(): void {
    this.#stream.end();
  }

  /** Gives up; the listener hears of the end with this error. */
  cancel(error: GrpcError): void {
    this.#failure ??= error;
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  #onHeaders(headers: IncomingHttpHeaders & { ':status'?: number }): void {
    const status = headers[':status'];
    if (status !== 200) this.#failure ??= new GrpcError(grpcCodes.unavailable, `the server answered with ${status}`);
    this.#onTrailers(headers);
  }

  /** A call that fails at once has its outcome among the headers. */
  #onTrailers(headers: IncomingHttpHeaders): void {
    const status = headers['grpc-status'];
    if (status === undefined) return;
    const code = Number(status);
    this.#outcome = code === grpcCodes.ok ? 'succeeded' : new GrpcError(code, messageOf(headers));
  }

  #onData(piece: Buffer): void {
    if (this.#failure) return;
    try {
      for (const message of this.#frames.push(piece)) this.#listener.onMessage(message);
    } catch (cause) {
      const error = new GrpcError(grpcCodes.internal, `an answer makes no sense: ${String(cause)}`, { cause });
      this.cancel(cause instanceof GrpcError ? cause : error);
    }
  }

  #onClose(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!this.#failure && this.#outcome === 'succeeded') return this.#listener.onEnd();
    const cut = new GrpcError(grpcCodes.unavailable, 'the connection ended before the answer');
    this.#listener.onEnd(this.#failure ?? (this.#outcome as GrpcError | undefined) ?? cut);
  }
}

function startedStream(
  session: ClientHttp2Session,
  path: string,
  headers: Readonly<Record<string, string>> | undefined,
): ClientHttp2Stream {
  const all = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...headers };
  try {
    return session.request(all);
  } catch (cause) {
    throw new GrpcError(grpcCodes.unavailable, 'the connection is gone', { cause });
  }
}

/** Messages are percent-encoded; one that is not, is taken as it stands. */
function messageOf(headers: IncomingHttpHeaders): string {
  const message = String(headers['grpc-message'] ?? 'no reason given');
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
