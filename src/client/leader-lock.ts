import type { Clock } from '../base/clock.ts';
import { endpoints, type Endpoints } from '../kinds/core/endpoints.ts';
import { isApiError } from '../kinds/meta/api-error.ts';
import type { Reader, Writer } from './client.ts';
import {
  claimedRecord,
  leaderAnnotation,
  parseLeaderRecord,
  releasedRecord,
  type LeaderRecord,
} from './leader-record.ts';
import type { ObjectName } from './object-name.ts';

export interface LeaderLockOptions {
  readonly client: Pick<Reader, 'get'> & Pick<Writer, 'create' | 'update'>;
  readonly clock: Clock;
  /** The Endpoints object that holds the lock; created when it is not there. */
  readonly lock: ObjectName;
  /** Unlike that of every other candidate. */
  readonly identity: string;
  readonly leaseMs: number;
}

/** Who has the lock. */
export type LockHolder = 'us' | 'other' | 'unknown';

/** A lock that one candidate holds at a time, as long as it keeps renewing it. */
export class LeaderLock {
  readonly #options: LeaderLockOptions;
  #observed: string | undefined;
  #observedAt = 0;

  constructor(options: LeaderLockOptions) {
    this.#options = options;
  }

  /** Takes or renews the lock, if that can be. Who has it is not known when somebody else wrote to the object at the same time. */
  async hold(signal: AbortSignal): Promise<LockHolder> {
    const { client, clock, lock, identity, leaseMs } = this.#options;
    const claim = { identity, leaseMs, now: clock.now() };
    const object = await this.#read(signal);
    try {
      if (!object) {
        const metadata = { ...lock, annotations: annotated(undefined, claimedRecord(undefined, claim)) };
        await client.create(endpoints, { kind: 'Endpoints', apiVersion: 'v1', metadata, subsets: [] }, { signal });
        return 'us';
      }
      const record = parseLeaderRecord(object.metadata.annotations?.[leaderAnnotation]);
      if (this.#isHeldByOther(record, object)) return 'other';
      await this.#write(object, claimedRecord(record, claim), signal);
      return 'us';
    } catch (error) {
      if (isApiError(error, 409)) return 'unknown';
      throw error;
    }
  }

  /** Lets go of the lock if it is ours. */
  async release(signal: AbortSignal): Promise<void> {
    const { clock, identity } = this.#options;
    const object = await this.#read(signal);
    const record = parseLeaderRecord(object?.metadata.annotations?.[leaderAnnotation]);
    if (!object || record?.holderIdentity !== identity) return;
    await this.#write(object, releasedRecord(record, clock.now()), signal);
  }

  /** A lease runs from when we saw its record change: what clocks show counts for nothing, neither our own nor those of other machines. */
  #isHeldByOther(record: LeaderRecord | undefined, { metadata }: Endpoints): boolean {
    const { clock, identity, leaseMs } = this.#options;
    const text = metadata.annotations?.[leaderAnnotation];
    if (text !== this.#observed) {
      this.#observed = text;
      this.#observedAt = clock.ticks();
    }
    if (!record?.holderIdentity || record.holderIdentity === identity) return false;
    return clock.ticks() < this.#observedAt + leaseMs;
  }

  async #read(signal: AbortSignal): Promise<Endpoints | undefined> {
    try {
      return await this.#options.client.get(endpoints, this.#options.lock, { signal });
    } catch (error) {
      if (isApiError(error, 404)) return undefined;
      throw error;
    }
  }

  async #write(object: Endpoints, record: LeaderRecord, signal: AbortSignal): Promise<void> {
    const annotations = annotated(object.metadata.annotations, record);
    const changed = { ...object, metadata: { ...object.metadata, annotations } };
    await this.#options.client.update(endpoints, changed, { signal });
  }
}

function annotated(annotations: Record<string, string> | undefined, record: LeaderRecord): Record<string, string> {
  return { ...annotations, [leaderAnnotation]: JSON.stringify(record) };
}
