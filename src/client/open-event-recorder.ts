import { formatTime, type Clock } from '../base/clock.ts';
import { deferred, type Deferred } from '../base/deferred.ts';
import type { Logger } from '../base/logger.ts';
import { event as eventKind, type Event, type EventSource } from '../kinds/core/event.ts';
import type { ObjectReference } from '../kinds/core/object-reference.ts';
import { ApiError, isApiError, isNamespaceEnding } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { Backoff } from './backoff.ts';
import { BoundedMap } from './bounded-map.ts';
import type { Writer } from './client.ts';
import { EventCorrelator, type Happening, type Occurrence } from './event-correlator.ts';
import type { EventRecorder, EventType } from './event-recorder.ts';
import { pause } from './pause.ts';

export interface EventRecorderOptions {
  readonly client: Pick<Writer, 'create' | 'patch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Who reports. */
  readonly source: EventSource;
}

/** A recorder with its end. */
export interface OpenEventRecorder extends EventRecorder {
  readonly isBusy: boolean;
  /** Drops what is unwritten, gives up what is being written, and resolves when that has ended. */
  close(): Promise<void>;
}

export function openEventRecorder(options: EventRecorderOptions): OpenEventRecorder {
  return new WritingEventRecorder(options);
}

/** How many may be unwritten; more are dropped, with a line in the log. */
const mostUnwritten = 1000;
/** How many are written at the same time: where each write waits for a disk, one after the other would be too slow. */
const parallelWrites = 64;
const attempts = 5;
const namesTried = 100;
const retries = { firstMs: 500, longestMs: 10_000 };
const rememberedEvents = 4096;
/** What the server takes. */
const longestName = 253;

/** The Event object that stands for an occurrence, and how often it has happened. */
interface Written {
  readonly namespace: string;
  readonly name: string;
  count: number;
}

/** Events about one object are written one after the other, in their order; those about several objects side by side. */
class WritingEventRecorder implements OpenEventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #correlator: EventCorrelator;
  readonly #written = new BoundedMap<string, Written>(rememberedEvents);
  /** What is unwritten, by object. */
  readonly #unwritten = new Map<string, Occurrence[]>();
  /** The objects of `#unwritten` that nobody writes about yet. */
  readonly #waiting = new Set<string>();
  readonly #closing = new AbortController();
  #unwrittenCount = 0;
  #dropped = 0;
  #settled: Deferred<void> | undefined;
  #names = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(options.clock);
  }

  get isBusy(): boolean {
    return this.#unwritten.size > 0;
  }

  record(about: ApiObject | ObjectReference, type: EventType, reason: string, message: string): void {
    this.#take({ ...this.#moment(about), type, reason, message });
  }

  as(component: string): Pick<EventRecorder, 'record'> {
    const source = { ...this.#options.source, component };
    return {
      record: (about, type, reason, message) => this.#take({ ...this.#moment(about), source, type, reason, message }),
    };
  }

  #moment(about: ApiObject | ObjectReference): Pick<Happening, 'involved' | 'source' | 'at'> {
    const { source, clock } = this.#options;
    return { involved: 'metadata' in about ? referenceTo(about) : about, source, at: clock.now() };
  }

  #take(happening: Happening): void {
    if (this.#closing.signal.aborted) return;
    const { logger } = this.#options;
    const { involved, reason, message } = happening;
    const occurrence = this.#correlator.correlate(happening);
    if (!occurrence) {
      logger.debug('an event is left out, because its object has too many', { reason, message, object: involved.name });
    } else if (this.#unwrittenCount >= mostUnwritten) this.#drop(occurrence);
    else this.#add(occurrence);
  }

  settled(): Promise<void> {
    if (!this.isBusy) return Promise.resolve();
    this.#settled ??= deferred<void>();
    return this.#settled.promise;
  }

  close(): Promise<void> {
    this.#closing.abort(new Error('the event recorder is closed'));
    for (const object of this.#waiting) this.#unwritten.delete(object);
    this.#waiting.clear();
    return this.settled();
  }

  /** Told once for as long as it lasts: a line for each would be as many again. */
  #drop({ reason, message }: Occurrence): void {
    if (this.#dropped++ > 0) return;
    this.#options.logger.warn('events are dropped, because too many wait to be written', { reason, message });
  }

  #add(occurrence: Occurrence): void {
    this.#unwrittenCount++;
    const others = this.#unwritten.get(occurrence.object);
    if (others) {
      others.push(occurrence);
      return;
    }
    this.#unwritten.set(occurrence.object, [occurrence]);
    this.#waiting.add(occurrence.object);
    this.#begin();
  }

  #begin(): void {
    for (const object of this.#waiting) {
      if (this.#unwritten.size - this.#waiting.size >= parallelWrites) return;
      this.#waiting.delete(object);
      void this.#writeAll(object, this.#unwritten.get(object)!);
    }
  }

  /** Writes what there is about one object, and what comes meanwhile. */
  async #writeAll(object: string, occurrences: readonly Occurrence[]): Promise<void> {
    for (const next of occurrences) {
      if (this.#closing.signal.aborted) break;
      await this.#writeWithRetries(next).catch((error: unknown) => this.#giveUp(next, error));
      this.#unwrittenCount--;
    }
    this.#unwritten.delete(object);
    this.#begin();
    if (!this.isBusy) this.#rest();
  }

  #rest(): void {
    if (this.#dropped > 0) this.#options.logger.warn('events were dropped', { count: this.#dropped });
    this.#dropped = 0;
    this.#settled?.resolve();
    this.#settled = undefined;
  }

  #giveUp({ reason, message }: Occurrence, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    // Whatever ends with its namespace has nowhere to tell of it.
    const level = isNamespaceEnding(error) ? 'debug' : 'warn';
    this.#options.logger[level]('an event could not be written', { reason, message, error });
  }

  async #writeWithRetries(occurrence: Occurrence): Promise<void> {
    const backoff = new Backoff(retries);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#write(occurrence);
      } catch (error) {
        if (!isPassing(error) || attempt === attempts) throw error;
        await pause(this.#options.clock, backoff.next(), this.#closing.signal);
      }
    }
  }

  /** The same thing again raises the count of the event that is there, as long as that is there. */
  async #write(occurrence: Occurrence): Promise<void> {
    const { client } = this.#options;
    const { signal } = this.#closing;
    const known = this.#written.get(occurrence.identity);
    if (known) {
      const raised = { count: known.count + 1, lastTimestamp: formatTime(occurrence.at), message: occurrence.message };
      try {
        await client.patch(eventKind, known, { merge: raised }, { signal });
        known.count++;
        return;
      } catch (error) {
        if (!isApiError(error, 404)) throw error;
      }
    }
    const { namespace = '', name = '' } = (await this.#create(occurrence)).metadata;
    this.#written.set(occurrence.identity, { namespace, name, count: 1 });
  }

  /** Another recorder may tell of an object of the same name in the same moment: then the next name is free. */
  async #create(occurrence: Occurrence): Promise<Event> {
    const { signal } = this.#closing;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#options.client.create(eventKind, this.#newEvent(occurrence), { signal });
      } catch (error) {
        if (!isApiError(error, 409) || attempt === namesTried) throw error;
      }
    }
  }

  #newEvent({ involved, source, type, reason, message, at }: Occurrence): Event {
    const time = formatTime(at);
    // Objects of the cluster have their events in the namespace that every cluster has.
    const namespace = involved.namespace || 'default';
    return {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name: this.#nameFor(involved, at), namespace },
      involvedObject: involved,
      reason,
      message,
      source,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type,
    };
  }

  /** Unlike any other of this recorder; the moment tells it from those of others. A long name of the object is cut to make room for that. */
  #nameFor({ name = '' }: ObjectReference, at: number): string {
    const suffix = (BigInt(Math.floor(at)) * 1_000_000n + BigInt(this.#names++ % 1_000_000)).toString(16);
    const cut = name.slice(0, longestName - suffix.length - 1).replace(/[-.]+$/, '');
    return `${cut}.${suffix}`;
  }
}

/** Whether it may go better later. */
function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 429 || error.code >= 500);
}

function referenceTo({ kind, apiVersion, metadata }: ApiObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { kind, apiVersion, namespace, name, uid, resourceVersion };
}
