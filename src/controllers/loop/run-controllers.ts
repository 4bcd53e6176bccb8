import { closeOnce } from '../../base/close-once.ts';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { allSettled, type Settling } from '../../base/settling.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Client } from '../../client/client.ts';
import { clientUntil } from '../../client/client-until.ts';
import { openEventRecorder, type OpenEventRecorder } from '../../client/open-event-recorder.ts';
import { SharedInformers } from '../../client/shared-informers.ts';
import { WorkQueue } from '../../client/work-queue.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import type { Controller, RunningController } from './controller.ts';

export interface RunControllersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Local copies to share with others of the process; they stay open. Own ones when absent. */
  readonly informers?: SharedInformers;
  /** Ends the run when it is aborted, as `close` does. */
  readonly signal?: AbortSignal;
}

/** Controllers at work, from `runControllers` until `close`. They are busy while a key waits or an event is unwritten. */
export interface ControllerRun extends Settling {
  /** Resolves when every controller knows what is there and has begun to work; rejects when the run ends before. */
  readonly started: Promise<void>;
  /** Ends the work under way and everything that was opened. */
  close(): Promise<void>;
}

/** Starts controllers. They share one watch of each kind, and each has a queue of its own. */
export function runControllers(controllers: readonly Controller[], options: RunControllersOptions): ControllerRun {
  const { signal } = options;
  const stopping = new AbortController();
  const informers = options.informers ?? new SharedInformers(options);
  const workers = startAll(controllers, options, { informers, stopping });
  const started = begin(workers, informers, stopping.signal);
  started.catch(() => {});
  async function end(): Promise<void> {
    stopping.abort(new Error('the controllers are stopped'));
    await Promise.all(workers.map((worker) => worker.close()));
    if (!options.informers) informers.close();
  }
  const close = closeOnce(end, {
    signal,
    onFailure: (error) => options.logger.error('the controllers did not stop in order', { error }),
  });
  return {
    started,
    get isBusy() {
      return workers.some(({ isBusy }) => isBusy);
    },
    async settled() {
      await started;
      await allSettled(workers);
    },
    close,
  };
}

/** A controller that cannot start leaves nothing open that was opened here. */
function startAll(controllers: readonly Controller[], options: RunControllersOptions, shared: Shared): Worker[] {
  try {
    return controllers.map((controller) => new Worker(controller, options, shared));
  } catch (error) {
    if (!options.informers) shared.informers.close();
    throw error;
  }
}

async function begin(workers: readonly Worker[], informers: SharedInformers, signal: AbortSignal): Promise<void> {
  // All of what any controller looks at is there before the first one acts on it.
  await untilAborted(informers.synced(), signal);
  for (const worker of workers) await worker.begin();
}

interface Shared {
  readonly informers: SharedInformers;
  readonly stopping: AbortController;
}

/** One controller with its queue. */
class Worker implements Settling {
  readonly #name: string;
  readonly #logger: Logger;
  readonly #signal: AbortSignal;
  readonly #events: OpenEventRecorder;
  readonly #running: RunningController;
  readonly #queue: WorkQueue;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(controller: Controller, options: RunControllersOptions, { informers, stopping }: Shared) {
    const { clock, ids, logger } = options;
    this.#name = controller.name;
    this.#logger = logger;
    this.#signal = stopping.signal;
    this.#events = openEventRecorder({
      client: options.client,
      clock,
      logger,
      source: { component: controller.reportsAs ?? controller.name },
    });
    const client = clientUntil(stopping.signal, options.client);
    const context = { client, informers, events: this.#events, clock, ids, logger, signal: stopping.signal };
    this.#running = controller.start(context);
    this.#queue = new WorkQueue({ clock, parallel: controller.parallel ?? 5, work: (key) => this.#reconcile(key) });
  }

  get isBusy(): boolean {
    return !this.#queue.isIdle || this.#events.isBusy;
  }

  async begin(): Promise<void> {
    for (const source of this.#running.sources) {
      await source.synced;
      this.#signal.throwIfAborted();
      this.#unsubscribe.push(source.subscribe((key) => this.#queue.add(key)));
    }
  }

  async settled(): Promise<void> {
    await this.#queue.idle();
    await this.#events.settled();
  }

  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#queue.close();
    await this.#running.close?.();
    await this.#events.close();
  }

  async #reconcile(key: string): Promise<void> {
    try {
      const again = await this.#running.reconcile(key);
      this.#queue.forget(key);
      if (again) this.#queue.addAfter(key, again.after);
    } catch (error) {
      this.#report(key, error);
      this.#queue.addRateLimited(key);
    }
  }

  #report(key: string, error: unknown): void {
    if (this.#signal.aborted) return;
    const fields = { controller: this.#name, key, error };
    // That others write at the same time is in the nature of things.
    if (isApiError(error, 409)) this.#logger.debug('an object was changed in the meantime; trying again', fields);
    else this.#logger.warn('an object could not be brought in order; trying again', fields);
  }
}
