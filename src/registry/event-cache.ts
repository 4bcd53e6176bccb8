import type { Kind } from '../kinds/kind.ts';
import type { StorageEvent } from '../storage/storage.ts';
import { ObjectEvent } from './watch-event.ts';

/** Storage hands the same event to every watch, so its `ObjectEvent` is made once and goes when the event does. */
export class EventCache {
  readonly #events = new WeakMap<StorageEvent, ObjectEvent>();

  of(kind: Kind, event: StorageEvent): ObjectEvent {
    let made = this.#events.get(event);
    if (!made) this.#events.set(event, (made = new ObjectEvent(kind, event)));
    return made;
  }
}
