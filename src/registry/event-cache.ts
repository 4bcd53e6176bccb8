import { RecentMap } from '../base/recent-map.ts';
import type { Kind } from '../kinds/kind.ts';
import type { StorageEvent } from '../storage/storage.ts';
import { ObjectEvent } from './watch-event.ts';

/**
 * What the stored forms of the objects in all events may take; what is made of them takes a few times as much. More than a commit usually
 * holds: storage hands the events of a commit to all watches before the next.
 */
const mostBytes = 16 * 1024 * 1024;
/** What an event takes besides the stored forms. */
const eventBytes = 1024;

/** Storage hands the same event to every watch, so its `ObjectEvent` is made once. Only the newest are kept, whatever storage keeps. */
export class EventCache {
  readonly #events = new RecentMap<StorageEvent, ObjectEvent>({
    most: mostBytes,
    weightOf: ({ storedBytes }) => storedBytes + eventBytes,
  });

  of(kind: Kind, event: StorageEvent): ObjectEvent {
    const known = this.#events.get(event);
    if (known) return known;
    const made = new ObjectEvent(kind, event);
    this.#events.set(event, made);
    return made;
  }
}
