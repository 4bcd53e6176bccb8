import { connect, type ClientHttp2Session, type SecureClientSessionOptions } from 'node:http2';
import { MessageChannel } from 'node:worker_threads';
import { every, type Clock, type Timer } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { GrpcError, grpcCodes } from './grpc-error.ts';
import { GrpcStream, type GrpcStreamOptions } from './grpc-stream.ts';

/** Certificates and key as PEM. */
export interface TlsFiles {
  /** Who must have signed the server's certificate; the authorities that Node knows when absent. */
  readonly authority?: string;
  readonly certificate?: string;
  readonly key?: string;
}

export interface GrpcChannelOptions {
  /** Servers that are all equally good. */
  readonly endpoints: readonly URL[];
  readonly tls?: TlsFiles;
  readonly clock: Clock;
}

const connectMs = 2_000;
/** A connection over which nothing came back for so long is taken for dead. */
const pingMs = 5_000;
const windowBytes = 8 * 1024 * 1024;

/** Calls over one connection, to one of several servers; to the next one when it fails. */
export class GrpcChannel {
  readonly #options: GrpcChannelOptions;
  /** Where new calls go. */
  #session: ClientHttp2Session | undefined;
  /** Those that calls are still under way on. */
  readonly #sessions = new Set<ClientHttp2Session>();
  #connecting: Promise<ClientHttp2Session> | undefined;
  /** Keeps the process alive, as a connection does, while there is none and timers, which do not, are all that goes on. */
  readonly #life = new MessageChannel().port1;
  #next = 0;
  #closed = false;

  constructor(options: GrpcChannelOptions) {
    this.#options = options;
    this.#life.ref();
  }

  /** Starts a call; fails with a `GrpcError` when no server can be reached. Nothing was sent then. */
  async start(options: GrpcStreamOptions): Promise<GrpcStream> {
    if (this.#closed) throw new GrpcError(grpcCodes.cancelled, 'the connection is closed');
    return new GrpcStream(this.#session ?? (await this.#connected()), options);
  }

  /** One request and its answer. */
  async call(path: string, message: Buffer, timeoutMs: number): Promise<Buffer> {
    const answer = deferred<Buffer>();
    let received: Buffer | undefined;
    const onEnd = (error?: GrpcError): void => {
      timer.cancel();
      if (!error && received) answer.resolve(received);
      else answer.reject(sent(error ?? new GrpcError(grpcCodes.internal, 'the server gave no answer')));
    };
    const listener = { onMessage: (body: Buffer) => void (received = body), onEnd };
    const headers = { 'grpc-timeout': `${Math.max(1, Math.ceil(timeoutMs))}m` };
    const stream = await this.start({ path, headers, listener });
    const timer = this.#options.clock.after(timeoutMs, () => {
      stream.cancel(new GrpcError(grpcCodes.deadlineExceeded, `no answer within ${timeoutMs / 1000} s`));
      // The server may be cut off from the others, which the next one may not be.
      this.#drop(this.#session);
    });
    stream.send(message);
    stream.finish();
    return answer.promise;
  }

  /** Ends everything that is under way. */
  close(): void {
    this.#closed = true;
    this.#life.close();
    this.#session = undefined;
    for (const session of this.#sessions) session.destroy();
  }

  #connected(): Promise<ClientHttp2Session> {
    this.#connecting ??= this.#connectToAny().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connectToAny(): Promise<ClientHttp2Session> {
    const { endpoints } = this.#options;
    const failures: string[] = [];
    for (let tries = 0; tries < endpoints.length && !this.#closed; tries++) {
      const endpoint = endpoints[this.#next++ % endpoints.length]!;
      try {
        return this.#use(await this.#connect(endpoint));
      } catch (error) {
        failures.push(`${endpoint.origin}: ${reasonOf(error)}`);
      }
    }
    if (this.#closed) throw new GrpcError(grpcCodes.cancelled, 'the connection is closed');
    throw new GrpcError(grpcCodes.unavailable, `etcd cannot be reached at ${failures.join('; ')}`);
  }

  #connect(endpoint: URL): Promise<ClientHttp2Session> {
    const { tls, clock } = this.#options;
    const options: SecureClientSessionOptions = {
      ca: tls?.authority,
      cert: tls?.certificate,
      key: tls?.key,
      settings: { enablePush: false, initialWindowSize: windowBytes },
      maxSessionMemory: 1024,
    };
    return new Promise((resolve, reject) => {
      const session = connect(endpoint, options);
      const timer = clock.after(connectMs, () => session.destroy(new Error(`no answer within ${connectMs / 1000} s`)));
      session.once('connect', () => {
        timer.cancel();
        session.setLocalWindowSize(windowBytes * 2);
        resolve(session);
      });
      session.on('error', reject);
      session.once('close', () => {
        timer.cancel();
        reject(new Error('the connection was closed'));
      });
    });
  }

  #use(session: ClientHttp2Session): ClientHttp2Session {
    if (this.#closed) {
      session.destroy();
      throw new Error('the connection is closed');
    }
    this.#session = session;
    this.#sessions.add(session);
    const pings = this.#ping(session);
    session.once('goaway', () => this.#drop(session));
    session.once('close', () => {
      pings.cancel();
      this.#sessions.delete(session);
      this.#drop(session);
    });
    return session;
  }

  #ping(session: ClientHttp2Session): Timer {
    let isAnswered = true;
    return every(this.#options.clock, pingMs, () => {
      if (!isAnswered) return session.destroy();
      isAnswered = false;
      if (!session.destroyed) session.ping(() => (isAnswered = true));
    });
  }

  /** Calls that are started from now on go over another connection. */
  #drop(session: ClientHttp2Session | undefined): void {
    if (!session || this.#session !== session) return;
    this.#session = undefined;
    session.close();
  }
}

function sent(error: GrpcError): GrpcError {
  return new GrpcError(error.code, error.message, { cause: error, mayBeDone: true });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // With several addresses to a name, the failures of each are inside.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first instanceof Error ? first.message : error.message;
}
