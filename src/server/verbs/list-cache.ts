import type { Clock } from '../../base/clock.ts';
import type { PiecedBytes } from '../../registry/pieced-bytes.ts';

/** Shorter answers are made quickly enough. */
const smallestKept = 64 * 1024;
/** What all answers together may take. */
const mostBytes = 32 * 1024 * 1024;
/** How long an answer is kept; it is made anew for those who still ask then. */
const keptMs = 10_000;

interface Kept {
  readonly revision: number;
  /** Absent as long as the list was asked for only once. */
  readonly answer?: Buffer;
}

/**
 * Answers to lists of whole collections, for as long as nothing at all is written: when a server starts, many clients ask for the same at
 * once. What is asked for once is not kept, and nothing is kept for long.
 */
export class ListCache {
  readonly #clock: Clock;
  readonly #lists = new Map<string, Kept>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The answer to the list of a path at this revision. */
  find(path: string, revision: number): Buffer | undefined {
    const kept = this.#lists.get(path);
    if (kept && kept.revision !== revision) this.#drop(path);
    return kept?.revision === revision ? kept.answer : undefined;
  }

  /** Takes note of an answer that was made, and gives it back, as one buffer where it is kept. */
  note(path: string, revision: number, made: PiecedBytes): Buffer | PiecedBytes {
    if (made.length < smallestKept || made.length > mostBytes) return made;
    if (this.#lists.get(path)?.revision !== revision) {
      this.#put(path, { revision });
      return made;
    }
    if (this.#bytes + made.length > mostBytes) this.#dropAll();
    const answer = made.whole();
    this.#put(path, { revision, answer });
    return answer;
  }

  #put(path: string, kept: Kept): void {
    this.#drop(path);
    this.#lists.set(path, kept);
    this.#bytes += kept.answer?.length ?? 0;
    this.#clock.after(keptMs, () => {
      if (this.#lists.get(path) === kept) this.#drop(path);
    });
  }

  #drop(path: string): void {
    this.#bytes -= this.#lists.get(path)?.answer?.length ?? 0;
    this.#lists.delete(path);
  }

  #dropAll(): void {
    for (const path of this.#lists.keys()) this.#drop(path);
  }
}
