import type { Clock } from '../base/clock.ts';
import type { EventSource } from '../kinds/core/event.ts';
import type { ObjectReference } from '../kinds/core/object-reference.ts';
import { BoundedMap } from './bounded-map.ts';
import type { EventType } from './event-recorder.ts';
import { TokenBucket, type Rate } from './token-bucket.ts';

/** Something that happened to an object. */
export interface Happening {
  readonly involved: ObjectReference;
  /** Who reports. */
  readonly source: EventSource;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A happening that is to be written. Those with the same identity are one Event with a count. */
export interface Occurrence extends Happening {
  readonly identity: string;
  /** Tells the object from all others. */
  readonly object: string;
}

const rememberedObjects = 4096;
/** How many events one object may have: some at once, then one every five minutes. */
const perObject: Rate = { perSecond: 1 / 300, burst: 25 };
/** Further messages of one sort of event become one event; as many are told apart as in the reference. */
const mostMessages = 9;
const similarMs = 10 * 60_000;

/** Messages seen of one sort of event. */
interface Similar {
  readonly messages: Set<string>;
  lastAt: number;
}

/** Keeps events few: the same ones are counted, many that differ only in their message become one, and objects with too many are silenced. */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #buckets = new BoundedMap<string, TokenBucket>(rememberedObjects);
  readonly #similar = new BoundedMap<string, Similar>(rememberedObjects);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nothing when the event is to be left out. */
  correlate(happening: Happening): Occurrence | undefined {
    const { kind, namespace, name, uid, fieldPath } = happening.involved;
    const object = JSON.stringify([kind, namespace, name, uid, fieldPath]);
    if (!this.#bucketOf(object).take()) return undefined;
    const sort = JSON.stringify([object, happening.source.component, happening.type, happening.reason]);
    if (this.#differsTooOften(sort, happening)) {
      const message = `(similar events, the last one being) ${happening.message}`;
      return { ...happening, message, object, identity: sort };
    }
    return { ...happening, object, identity: JSON.stringify([sort, happening.message]) };
  }

  #bucketOf(object: string): TokenBucket {
    let bucket = this.#buckets.get(object);
    if (!bucket) this.#buckets.set(object, (bucket = new TokenBucket(this.#clock, perObject)));
    return bucket;
  }

  #differsTooOften(sort: string, { message, at }: Happening): boolean {
    let similar = this.#similar.get(sort);
    if (!similar || at - similar.lastAt > similarMs) {
      this.#similar.set(sort, (similar = { messages: new Set(), lastAt: at }));
    }
    similar.lastAt = at;
    if (similar.messages.size < mostMessages) similar.messages.add(message);
    return !similar.messages.has(message);
  }
}
