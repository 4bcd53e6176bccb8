import { every, type Clock, type Timer } from '../../base/clock.ts';
import type { NumberMetric } from '../../base/metrics/number-metric.ts';
import { expired, type ApiError } from '../../kinds/meta/api-error.ts';
import { encodeWatchNote } from '../../registry/encoding.ts';
import type { EventView } from '../../registry/event-view.ts';
import type { Change, WatchHandle, WatchListener } from '../../registry/watch.ts';
import type { Entry } from '../../storage/storage.ts';
import type { ServerLimits } from '../limits.ts';
import { WatchRound } from './watch-round.ts';
import type { WatchSessions } from './watch-sessions.ts';
import type { WatchSink } from './watch-sink.ts';
import type { WatchView } from './watch-view.ts';

export interface WatchSessionParts {
  readonly view: WatchView;
  /** Counts what the client is told of. */
  readonly told: NumberMetric;
  readonly sessions: WatchSessions;
  readonly clock: Clock;
  readonly limits: ServerLimits;
  /** When the watch ends by itself. */
  readonly timeoutMs: number;
  /** Tell from time to time how far the watch has come. */
  readonly bookmarks: boolean;
}

const bookmarkMs = 60_000;
/** What is there at the beginning is sent in pieces of this size, so that a long list is not held a second time. */
const pieceBytes = 256 * 1024;

/**
 * One watch, from the registry to a client: opening (the registry has not answered) -> initial (what was there is sent, as fast as the client reads) ->
 * live (changes are sent at once) -> ended. Changes queue up until the watch is live, and for the rest of the turn after that. A client for
 * which too much waits is told 410 and ended: it must list again, and knows it.
 */
export class WatchSession implements WatchListener {
  readonly #parts: WatchSessionParts;
  #state: 'opening' | 'initial' | 'live' | 'ended' = 'opening';
  #initial: readonly Entry[] = [];
  #sentOfInitial = 0;
  #queue: Change[] = [];
  #queueBytes = 0;
  #sink: WatchSink | undefined;
  #handle: WatchHandle | undefined;
  /** Tells the next event. */
  #next: EventView;
  #endedWith: ApiError | undefined;
  #stall: Timer | undefined;
  readonly #timers: Timer[] = [];

  constructor(parts: WatchSessionParts) {
    this.#parts = parts;
    this.#next = parts.view.first ?? parts.view;
  }

  onInitial(entries: readonly Entry[]): void {
    this.#initial = entries;
  }

  onChanges(changes: readonly Change[]): void {
    if (this.#state === 'ended') return;
    if (this.#state === 'live') {
      if (this.#queue.length === 0) this.#parts.sessions.schedule(this);
      for (const change of changes) this.#queue.push(change);
      return;
    }
    for (const change of changes) {
      this.#queue.push(change);
      this.#queueBytes += change.event.line(change.type, this.#parts.view).length;
    }
    if (this.#queueBytes > this.#parts.limits.watchBufferBytes) this.#tooSlow();
  }

  onEnd(error?: ApiError): void {
    this.#finish(error);
  }

  /** The registry watches: the client hears from now on. */
  begin(handle: WatchHandle, sink: WatchSink): void {
    this.#handle = handle;
    this.#sink = sink;
    if (this.#state === 'ended') return this.#leave(this.#endedWith);
    this.#state = 'initial';
    const { clock, timeoutMs, bookmarks, sessions } = this.#parts;
    this.#timers.push(clock.after(timeoutMs, () => this.end()));
    if (bookmarks) this.#timers.push(every(clock, bookmarkMs, () => this.#bookmark()));
    // These two may end the watch at once, and take back what stands before them.
    sessions.add(this);
    sink.onceClosed(() => this.#finish());
    this.#sendInitial();
  }

  /** The registry cannot watch from where the client wants to: it is told so in the stream. */
  refuse(error: ApiError, sink: WatchSink): void {
    this.#sink = sink;
    this.#finish(error);
  }

  /** Ends the watch cleanly. */
  end(): void {
    if (this.#state === 'live') {
      this.flush(new WatchRound());
      if (this.#parts.bookmarks) this.#bookmark();
    }
    this.#finish();
  }

  /** Sends what has queued up. */
  flush(round: WatchRound): void {
    if (this.#state !== 'live' || this.#queue.length === 0) return;
    const changes = this.#queue;
    this.#queue = [];
    this.#tell(changes, round);
    if (this.#sink!.buffered > this.#parts.limits.watchBufferBytes) this.#tooSlow();
  }

  #tell(changes: Change[], round: WatchRound): void {
    this.#parts.told.add(changes.length);
    const view = this.#nextView();
    if (view === this.#next) return this.#sink!.changes(changes, view, round);
    this.#sink!.changes(changes.splice(0, 1), view, round);
    if (changes.length > 0) this.#sink!.changes(changes, this.#next, round);
  }

  /** The view for one event; from the second on it is always the same. */
  #nextView(): EventView {
    const view = this.#next;
    this.#next = this.#parts.view;
    return view;
  }

  #sendInitial(): void {
    this.#stall?.cancel();
    while (this.#state === 'initial' && this.#sentOfInitial < this.#initial.length) {
      if (this.#sink!.buffered > pieceBytes) return this.#waitForClient();
      this.#sink!.lines(this.#nextPiece());
    }
    if (this.#state !== 'initial') return;
    this.#initial = [];
    this.#state = 'live';
    this.flush(new WatchRound());
  }

  #nextPiece(): Buffer[] {
    const lines: Buffer[] = [];
    for (let bytes = 0; bytes < pieceBytes && this.#sentOfInitial < this.#initial.length; this.#sentOfInitial++) {
      const line = this.#nextView().line('ADDED', this.#initial[this.#sentOfInitial]!);
      lines.push(line);
      bytes += line.length;
    }
    this.#parts.told.add(lines.length);
    return lines;
  }

  #waitForClient(): void {
    const { clock, limits } = this.#parts;
    this.#stall = clock.after(limits.watchStallMs, () => this.#tooSlow());
    this.#sink!.onceDrained(() => this.#sendInitial());
  }

  #bookmark(): void {
    if (this.#state !== 'live') return;
    this.flush(new WatchRound());
    const bookmark = this.#parts.view.bookmark(String(this.#handle!.revision()));
    this.#sink!.lines([encodeWatchNote('BOOKMARK', bookmark)]);
  }

  #tooSlow(): void {
    this.#finish(expired('the watch was not read fast enough; list again and watch from there'));
  }

  #finish(error?: ApiError): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#endedWith = error;
    this.#initial = [];
    this.#queue = [];
    if (this.#sink) this.#leave(error);
  }

  /** A client that does not even read the end is cut off after a while. */
  #leave(error: ApiError | undefined): void {
    this.#handle?.close();
    this.#parts.sessions.delete(this);
    for (const timer of this.#timers) timer.cancel();
    this.#stall?.cancel();
    const sink = this.#sink!;
    if (error) sink.lines([encodeWatchNote('ERROR', error.status)]);
    const cut = this.#parts.clock.after(this.#parts.limits.watchStallMs, () => sink.destroy());
    sink.onceClosed(() => cut.cancel());
    sink.end();
  }
}
