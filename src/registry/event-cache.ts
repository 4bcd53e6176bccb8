import type { Kind } from '../kinds/kind.ts';
import type { StorageEvent } from '../storage/storage.ts';
import { ObjectEvent } from './watch-event.ts';

/** More than one commit holds: storage hands the events of a commit to all watches before the next. */
const kept = 1024;

/** Storage hands the same event to every watch, so its `ObjectEvent` is made once. Only the newest are kept, whatever storage keeps. */
export class EventCache {
  readonly #events = new Map<StorageEvent, ObjectEvent>();

  of(kind: Kind, event: StorageEvent): ObjectEvent {
    const known = this.#events.get(event);
    if (known) return known;
    const made = new ObjectEvent(kind, event);
    this.#events.set(event, made);
    if (this.#events.size > kept) this.#forgetOldest();
    return made;
  }

  #forgetOldest(): void {
    const [oldest] = this.#events.keys();
    if (oldest) this.#events.delete(oldest);
  }
}
