import { deferred, type Deferred } from '../../base/deferred.ts';
import { addAll, negateAll, none, readAmounts, writeAmounts, type Amounts } from '../../kinds/core/quota/amounts.ts';
import { resourceQuota as quotaKind, type ResourceQuota } from '../../kinds/core/resource-quota.ts';
import { serviceUnavailable } from '../../kinds/meta/api-error.ts';
import { encodeForStorage } from '../../registry/encoding.ts';
import { isStorageError } from '../../registry/storage-errors.ts';
import type { Entry, Storage } from '../../storage/storage.ts';

/** How often a quota is read again when other servers write it at the same time; each time one of them got on. */
const attempts = 100;

/** What a write takes from a quota, worked out on the quota as it is when its turn comes. Refuses by throwing. */
export type Claim = (quota: ResourceQuota) => Amounts;

/** What was taken from one quota. */
export interface Charge {
  readonly key: string;
  readonly uid: string | undefined;
  readonly amounts: Amounts;
}

interface Posting {
  readonly claim: Claim;
  readonly done: Deferred<Charge | undefined>;
}

/**
 * Keeps `status.used` of quotas in storage. Every posting is committed with the expected revision, so that two requests, or two servers, never take
 * the same rest. Postings that arrive while one is written share the next write.
 */
export class QuotaLedger {
  readonly #storage: Storage;
  /** By key of the quota; there while somebody works on it. */
  readonly #waiting = new Map<string, Posting[]>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Whether a claim would be refused now, without taking anything. */
  async check(key: string, claim: Claim): Promise<void> {
    const entry = await this.#storage.get(key);
    if (entry) claim(readQuota(entry));
  }

  /** Takes what the claim asks for; gives nothing when that is nothing, or when the quota is gone. */
  charge(key: string, claim: Claim): Promise<Charge | undefined> {
    const posting: Posting = { claim, done: deferred() };
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.push(posting);
    } else {
      const queue = [posting];
      this.#waiting.set(key, queue);
      void this.#work(key, queue);
    }
    return posting.done.promise;
  }

  /** Gives back what was taken, but never more than is in use: a recount may have come in between. */
  async giveBack({ key, uid, amounts }: Charge): Promise<void> {
    await this.charge(key, (quota) => {
      if (quota.metadata.uid !== uid) return none;
      return capped(negateAll(amounts), readAmounts(quota.status?.used));
    });
  }

  async #work(key: string, queue: Posting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0);
      try {
        await this.#post(key, batch);
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    this.#waiting.delete(key);
  }

  /** Settles a batch with one write. */
  async #post(key: string, batch: readonly Posting[]): Promise<void> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const entry = await this.#storage.get(key);
      const outcomes = enter(entry, key, batch);
      if (await this.#commit(entry, outcomes)) {
        outcomes.settle();
        return;
      }
    }
    throw serviceUnavailable(`the quota at ${key} is written too often at the moment`, 1);
  }

  /** False when others were faster. */
  async #commit(entry: Entry | undefined, { quota, isChanged }: Outcomes): Promise<boolean> {
    if (!entry || !quota || !isChanged) return true;
    try {
      await this.#storage.update(entry.key, encodeForStorage(quotaKind, quota), entry.revision);
      return true;
    } catch (error) {
      if (isStorageError(error, 'Conflict') || isStorageError(error, 'NotFound')) return false;
      throw error;
    }
  }
}

/** A batch worked out on one version of a quota. Nobody hears of it before it is committed. */
interface Outcomes {
  readonly quota: ResourceQuota | undefined;
  readonly isChanged: boolean;
  settle(): void;
}

function enter(entry: Entry | undefined, key: string, batch: readonly Posting[]): Outcomes {
  const quota = entry && readQuota(entry);
  let isChanged = false;
  const settlements = batch.map(({ claim, done }) => {
    if (!quota) return () => done.resolve(undefined);
    try {
      const amounts = claim(quota);
      if (amounts.size === 0) return () => done.resolve(undefined);
      addUsage(quota, amounts);
      isChanged = true;
      return () => done.resolve({ key, uid: quota.metadata.uid, amounts });
    } catch (error) {
      return () => done.reject(error);
    }
  });
  return {
    quota,
    isChanged,
    settle() {
      for (const settle of settlements) settle();
    },
  };
}

function readQuota({ value }: Entry): ResourceQuota {
  return JSON.parse(value.toString('utf8')) as ResourceQuota;
}

function addUsage(quota: ResourceQuota, amounts: Amounts): void {
  const used = addAll(readAmounts(quota.status?.used), amounts);
  quota.status = { ...quota.status, used: writeAmounts(used) };
}

/** Amounts that lower the usage to nothing at most. */
function capped(amounts: Amounts, used: Amounts): Amounts {
  const result = new Map(amounts);
  for (const [name, { nanos, family }] of amounts) {
    const lowest = -(used.get(name)?.nanos ?? 0n);
    if (lowest === 0n && nanos < 0n) result.delete(name);
    else if (nanos < lowest) result.set(name, { nanos: lowest, family });
  }
  return result;
}
