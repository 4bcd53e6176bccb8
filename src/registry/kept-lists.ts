import { every, type Clock, type Timer } from '../base/clock.ts';
import type { StorageEvent } from '../storage/storage.ts';
import { collectionPrefix, selfLink, type CollectionAddress } from './address.ts';
import { KeptList } from './kept-list.ts';
import { list } from './list.ts';
import type { PiecedBytes } from './pieced-bytes.ts';
import type { RegistryContext } from './registry.ts';
import { Selection } from './selectors/selection.ts';
import { isStorageError, translateStorageError } from './storage-errors.ts';

/** Shorter lists are read quickly enough. */
const smallestKept = 64 * 1024;
/** What all lists together may hold. */
const mostBytes = 32 * 1024 * 1024;
/** How long a list is kept that nobody asks for. */
const keptMs = 10_000;
/** With more changes than that, in any collection, reading all is quicker. */
const mostRevisions = 2000;

interface Slot {
  /** In ticks of the clock. */
  usedAt: number;
  /** Absent as long as the list was asked for only once. */
  kept?: KeptList;
  bytes: number;
}

/**
 * Lists of whole collections that are asked for more than once in a short time, as happens when many clients start together. Such a list is
 * brought up to date with what happened since, out of the storage's history, instead of being read anew.
 */
export class KeptLists {
  readonly #clock: Clock;
  readonly #slots = new Map<string, Slot>();
  #sweeping: Timer | undefined;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The answer to a list of all objects in a collection, in its newest state. */
  async answer(context: RegistryContext, address: CollectionAddress): Promise<PiecedBytes> {
    const path = selfLink(address.served, address.namespace);
    const slot = this.#slots.get(path);
    const kept = slot?.kept && (await broughtUpToDate(context, address, slot.kept));
    const current = kept ?? KeptList.of(await list(context, address, { selection: Selection.everything }));
    const answer = current.answer();
    if (!this.#closed && answer.length >= smallestKept && answer.length <= mostBytes) {
      this.#put(path, { usedAt: this.#clock.ticks(), kept: slot && current, bytes: slot ? answer.length : 0 });
    }
    return answer;
  }

  #put(path: string, slot: Slot): void {
    this.#sweeping ??= every(this.#clock, keptMs, () => this.#sweep());
    // The one used last stands last.
    this.#slots.delete(path);
    this.#slots.set(path, slot);
    let bytes = 0;
    for (const each of this.#slots.values()) bytes += each.bytes;
    for (const [other, { bytes: freed }] of this.#slots) {
      if (bytes <= mostBytes) break;
      this.#slots.delete(other);
      bytes -= freed;
    }
  }

  #sweep(): void {
    const now = this.#clock.ticks();
    for (const [path, { usedAt }] of this.#slots) if (now - usedAt >= keptMs) this.#slots.delete(path);
    if (this.#slots.size > 0) return;
    this.#sweeping?.cancel();
    this.#sweeping = undefined;
  }

  /** Forgets everything, and keeps nothing from now on: requests may still be under way. */
  close(): void {
    this.#closed = true;
    this.#slots.clear();
    this.#sweeping?.cancel();
  }
}

/** Undefined when reading all anew is the better way. */
async function broughtUpToDate(
  { storage }: RegistryContext,
  { served, namespace }: CollectionAddress,
  kept: KeptList,
): Promise<KeptList | undefined> {
  const events: StorageEvent[] = [];
  let newest: number;
  try {
    newest = await storage.revision();
    if (newest === kept.revision) return kept;
    // A storage that was put back to an earlier state knows nothing of what happened up to the revision that is kept.
    const isWorthwhile = newest > kept.revision && newest - kept.revision <= mostRevisions;
    if (!isWorthwhile || kept.changes > kept.size) return undefined;
    // What history holds is told before the watch is there.
    const listener = { onEvents: (more: readonly StorageEvent[]) => void events.push(...more), onEnd: () => {} };
    const watch = await storage.watch(collectionPrefix(served.kind, namespace), kept.revision, listener);
    watch.close();
  } catch (error) {
    if (isStorageError(error, 'Compacted')) return undefined;
    throw translateStorageError(error);
  }
  // A change may have come in behind the revision that was asked for first; there is none between the last one and now.
  return kept.after(events, Math.max(newest, events.at(-1)?.revision ?? 0));
}
