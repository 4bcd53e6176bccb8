import type { EventView } from '../../registry/event-view.ts';
import type { Change } from '../../registry/watch.ts';
import type { WatchRound } from './watch-round.ts';

/** Where the events of one watch go: a chunked answer or a WebSocket. Buffers that are handed over are shared and stay as they are. */
export interface WatchSink {
  /** Changes that are told together; what they have in common with other watchers' is in the round. */
  changes(changes: readonly Change[], view: EventView, round: WatchRound): void;
  /** One or more whole lines. */
  lines(lines: readonly Buffer[]): void;
  /** Bytes that the client has not taken yet. */
  readonly buffered: number;
  /** Calls back once when `buffered` has come down. Only while something waits. */
  onceDrained(callback: () => void): void;
  /** Calls back once when the client is gone or has taken everything after `end`. */
  onceClosed(callback: () => void): void;
  /** Ends cleanly behind what was sent. */
  end(): void;
  /** Cuts the connection. */
  destroy(): void;
}
