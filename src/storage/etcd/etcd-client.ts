import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { changeRequest, compactionRequest, everyKey, rangeRequest, watchRequest } from './etcd-requests.ts';
import type { GuardedChange, RangeRequest } from './etcd-requests.ts';
import { readChangeResponse, readRangeResponse, readWatchResponse } from './etcd-responses.ts';
import type { ChangeResponse, RangeResponse, WatchResponse } from './etcd-responses.ts';
import type { GrpcChannel } from './grpc-channel.ts';
import { GrpcError, grpcCodes } from './grpc-error.ts';
import type { GrpcStream } from './grpc-stream.ts';

export interface WatchHandlers {
  onResponse(response: WatchResponse): void;
  onEnd(error?: GrpcError): void;
}

const firstPauseMs = 20;
const longestPauseMs = 1_000;

/** The calls of etcd's API that are needed here. What fails for a passing reason is tried again as long as the time for it lasts. */
export class EtcdClient {
  readonly #channel: GrpcChannel;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** Ends a pause before its time. */
  readonly #pauses = new Set<() => void>();
  #closed = false;

  constructor(channel: GrpcChannel, clock: Clock, timeoutMs: number) {
    this.#channel = channel;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  async range(request: RangeRequest): Promise<RangeResponse> {
    return readRangeResponse(await this.#read('/etcdserverpb.KV/Range', rangeRequest(request)));
  }

  /** The newest revision of all. */
  async revision(): Promise<number> {
    return (await this.range({ ...everyKey, limit: 1, keysOnly: true })).revision;
  }

  /** Is tried again only where it certainly was not done. */
  async change(change: GuardedChange): Promise<ChangeResponse> {
    const request = changeRequest(change);
    try {
      const answer = await this.#retried(
        (timeoutMs) => this.#channel.call('/etcdserverpb.KV/Txn', request, timeoutMs),
        (error) => !error.mayBeDone,
      );
      return readChangeResponse(answer);
    } catch (error) {
      throw isBeyondBound(error, request) ? new GrpcError(grpcCodes.invalidArgument, error.message) : error;
    }
  }

  async compact(revision: number): Promise<void> {
    await this.#read('/etcdserverpb.KV/Compact', compactionRequest(revision));
  }

  /** Every change of every key from a revision on. Ends with an error when the server loses touch with the others. */
  async watch(startRevision: number, handlers: WatchHandlers): Promise<GrpcStream> {
    const stream = await this.#channel.start({
      path: '/etcdserverpb.Watch/Watch',
      headers: { hasleader: 'true' },
      listener: {
        onMessage: (message) => handlers.onResponse(readWatchResponse(message)),
        onEnd: (error) => handlers.onEnd(error),
      },
    });
    stream.send(watchRequest(everyKey, startRevision));
    return stream;
  }

  /** Whatever is under way fails. */
  close(): void {
    this.#closed = true;
    this.#channel.close();
    for (const end of this.#pauses) end();
  }

  /** Calls that may be done twice. */
  #read(path: string, request: Buffer): Promise<Buffer> {
    return this.#retried(
      (timeoutMs) => this.#channel.call(path, request, timeoutMs),
      () => true,
    );
  }

  async #retried(
    call: (timeoutMs: number) => Promise<Buffer>,
    mayRepeat: (error: GrpcError) => boolean,
  ): Promise<Buffer> {
    const end = this.#clock.ticks() + this.#timeoutMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await call(Math.max(1, end - this.#clock.ticks()));
      } catch (error) {
        if (this.#closed || !(error instanceof GrpcError) || !error.isPassing || !mayRepeat(error)) throw error;
        if (error.code === grpcCodes.deadlineExceeded || this.#clock.ticks() + pauseMs >= end) throw error;
      }
      await this.#pause(pauseMs);
    }
  }

  #pause(ms: number): Promise<void> {
    const { promise, resolve } = deferred<void>();
    const timer = this.#clock.after(ms, resolve);
    const end = (): void => {
      timer.cancel();
      resolve();
    };
    this.#pauses.add(end);
    return promise.finally(() => this.#pauses.delete(end));
  }
}

/** What etcd takes unless it is told otherwise. */
const usualBound = 1.5 * 1024 * 1024;

/** A request far beyond its bound etcd refuses as it does any request when its disk is full: only the length tells them apart. */
function isBeyondBound(error: unknown, request: Buffer): error is GrpcError {
  return error instanceof GrpcError && error.code === grpcCodes.resourceExhausted && request.length > usualBound;
}
