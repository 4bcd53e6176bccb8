import { WatchRound } from './watch-round.ts';
import type { WatchSession } from './watch-session.ts';

/**
 * All open watches of a server. Changes are not sent one by one: what comes in during one turn of the event loop goes out together at its
 * end, which costs a watcher no time that it would notice and saves most of the work when much is going on.
 */
export class WatchSessions {
  readonly #open = new Set<WatchSession>();
  #due: WatchSession[] = [];
  #closed = false;

  get size(): number {
    return this.#open.size;
  }

  add(session: WatchSession): void {
    this.#open.add(session);
    if (this.#closed) session.end();
  }

  delete(session: WatchSession): void {
    this.#open.delete(session);
  }

  /** Has the session's `flush` called at the end of this turn. */
  schedule(session: WatchSession): void {
    if (this.#due.push(session) === 1) setImmediate(() => this.#flush());
  }

  /** Ends all watches cleanly, and those that are still to come at once. */
  close(): void {
    this.#closed = true;
    for (const session of this.#open) session.end();
  }

  #flush(): void {
    const due = this.#due;
    this.#due = [];
    const round = new WatchRound();
    for (const session of due) session.flush(round);
  }
}
