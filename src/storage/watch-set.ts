import { unavailable } from './errors.ts';
import type { StorageError, StorageEvent, StorageWatch, WatchListener } from './storage.ts';

interface Watch {
  readonly prefix: string;
  readonly listener: WatchListener;
  /** Everything up to this revision is delivered or was not asked for. */
  seen: number;
}

/** The open watches of one storage. Events are filtered once a prefix; watches of one prefix get the same array. */
export class WatchSet {
  readonly #byPrefix = new Map<string, Set<Watch>>();
  readonly #unpublished: (readonly StorageEvent[])[] = [];
  #publishing = false;

  /** Opens a watch: delivers what history holds (revisions up to `upTo`), then everything that is published with a newer revision. */
  open(options: WatchStart): StorageWatch {
    const { prefix, after, upTo, past, listener } = options;
    const watch = { prefix, listener, seen: Math.max(after, upTo) };
    const sharing = this.#byPrefix.get(prefix);
    if (sharing) sharing.add(watch);
    else this.#byPrefix.set(prefix, new Set([watch]));
    if (past.length > 0) this.#call(watch, past);
    return { close: () => void this.#remove(watch) };
  }

  /** Delivers the events of one commit. A listener that writes in turn does not get ahead of the watches behind it. */
  publish(events: readonly StorageEvent[]): void {
    this.#unpublished.push(events);
    if (this.#publishing) return;
    this.#publishing = true;
    try {
      for (let next = this.#unpublished.shift(); next; next = this.#unpublished.shift()) this.#publishNow(next);
    } finally {
      this.#publishing = false;
    }
  }

  /** Ends every watch, with an error where they cannot go on. */
  endAll(error?: StorageError): void {
    const watches = [...this.#byPrefix.values()].flatMap((sharing) => [...sharing]);
    for (const watch of watches) this.#end(watch, error);
  }

  #publishNow(events: readonly StorageEvent[]): void {
    for (const [prefix, sharing] of this.#byPrefix) {
      const matching = events.filter((event) => event.key.startsWith(prefix));
      if (matching.length === 0) continue;
      for (const watch of sharing) this.#deliver(watch, matching);
    }
  }

  #deliver(watch: Watch, events: readonly StorageEvent[]): void {
    const [first] = events;
    if (!first) return;
    // Only a watch that was opened while events were on their way, or for a revision yet to come, has seen some of them.
    const unseen = first.revision > watch.seen ? events : events.filter((event) => event.revision > watch.seen);
    const last = unseen.at(-1);
    if (!last) return;
    watch.seen = last.revision;
    this.#call(watch, unseen);
  }

  #call(watch: Watch, events: readonly StorageEvent[]): void {
    try {
      watch.listener.onEvents(events);
    } catch (error) {
      this.#end(watch, unavailable('the listener of a watch failed', error));
    }
  }

  #end(watch: Watch, error?: StorageError): void {
    if (!this.#remove(watch)) return;
    try {
      watch.listener.onEnd(error);
    } catch (failure) {
      // The commit that is being told of stands, and its writers must hear so.
      process.emitWarning(failure instanceof Error ? failure : String(failure));
    }
  }

  #remove(watch: Watch): boolean {
    const sharing = this.#byPrefix.get(watch.prefix);
    const removed = sharing?.delete(watch) ?? false;
    if (sharing?.size === 0) this.#byPrefix.delete(watch.prefix);
    return removed;
  }
}

export interface WatchStart {
  readonly prefix: string;
  readonly after: number;
  /** The newest revision that `past` speaks of. */
  readonly upTo: number;
  /** The events under `prefix` after `after` and up to `upTo`, in order. */
  readonly past: readonly StorageEvent[];
  readonly listener: WatchListener;
}
