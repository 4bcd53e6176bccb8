import type { Clock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import type { Deferred } from '../../base/deferred.ts';
import { unavailable } from '../errors.ts';
import { StorageError } from '../storage.ts';
import type { HistoryBounds, StorageEvent, Written } from '../storage.ts';
import { changesAnything, planCommit, writeCommit } from './commit.ts';
import type { Commit, Request } from './commit.ts';
import type { Database } from './database.ts';
import type { Snapshot } from './snapshot.ts';

interface Waiting {
  readonly request: Request;
  readonly answer: Deferred<Written>;
}

export interface CommitterOptions {
  readonly database: Database;
  readonly snapshot: Snapshot;
  readonly clock: Clock;
  readonly bounds: HistoryBounds;
  /** Called when a commit is on disk and shows in `snapshot`, before its writers hear of it. */
  readonly onCommitted: (events: readonly StorageEvent[]) => void;
}

/** While these are written, others are being prepared. */
const worthACommit = 8;

const maxRequestsPerCommit = 2_000;

/**
 * Writes one commit after the other; requests that arrive while one is under way share the next. What a failed commit would have changed
 * exists nowhere but in its plan, so the next starts from what is on disk.
 */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #waiting: Waiting[] = [];
  #snapshot: Snapshot;
  #work: Promise<void> | undefined;
  #stopping = false;
  /** Called when there are so many requests that a commit does not wait for more. */
  #onEnough: () => void = () => {};

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#snapshot = options.snapshot;
  }

  /** The newest committed state. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  submit(request: Request): Promise<Written> {
    const answer = deferred<Written>();
    this.#waiting.push({ request, answer });
    if (this.#waiting.length === worthACommit) this.#onEnough();
    this.#work ??= this.#commitAll();
    return answer.promise;
  }

  /** Resolves when everything submitted is answered. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#work;
  }

  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0 || this.#hasBacklog()) {
      if (this.#waiting.length < worthACommit) await this.#moreWaiting();
      const batch = this.#waiting.splice(0, maxRequestsPerCommit);
      const failure = await this.#commitBatch(batch);
      if (failure && batch.length === 0) break;
    }
    this.#work = undefined;
  }

  /** A commit costs as much for one request as for ten, so the first few that come in during this turn of the event loop share one. */
  #moreWaiting(): Promise<void> {
    const { promise, resolve } = deferred<void>();
    const timer = setImmediate(resolve);
    this.#onEnough = () => {
      clearImmediate(timer);
      resolve();
    };
    return promise;
  }

  async #commitBatch(batch: readonly Waiting[]): Promise<StorageError | undefined> {
    const { database, clock, bounds } = this.#options;
    try {
      const requests = batch.map(({ request }) => request);
      const commit = planCommit({ requests, snapshot: this.#snapshot, bounds, now: clock.now() });
      if (changesAnything(commit)) {
        await writeCommit(database, commit);
        this.#advance(commit);
      }
      answerAll(batch, commit);
      return undefined;
    } catch (error) {
      const failure = unavailable('the write could not be committed; nothing of it is stored', error);
      for (const { answer } of batch) answer.reject(failure);
      return failure;
    }
  }

  #advance(commit: Commit): void {
    const past = this.#snapshot;
    this.#snapshot = past.next(commit);
    past.release();
    if (commit.events.length > 0) this.#options.onCommitted(commit.events);
  }

  /** Whether forgotten history still takes up space, and time is there to free it. */
  #hasBacklog(): boolean {
    const { trimmed, compacted } = this.#snapshot.state;
    return trimmed < compacted && !this.#stopping;
  }
}

function answerAll(batch: readonly Waiting[], commit: Commit): void {
  for (const [index, { answer }] of batch.entries()) {
    const outcome = commit.outcomes[index]!;
    if (outcome instanceof StorageError) answer.reject(outcome);
    else answer.resolve(outcome);
  }
}
