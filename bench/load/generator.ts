import { Connection, type Access } from './connection.ts';
import type { Plan, Round, RoundEnd } from './plan.ts';
import { RequestMaker } from './request-template.ts';
import { openWatcher } from './watcher.ts';

/** Writes that may be ahead of the slowest of the watches taken together, so that no server has to hold much for them. */
const writesAhead = 64;

/** Keeps a server busy: each connection sends its next request when the last is answered. */
export class Generator {
  readonly #requests: RequestMaker;
  readonly #watchers: number;
  #idle: Connection[] = [];
  #sent = 0;
  #answered = 0;
  #delivered = 0;
  #mayStart: () => boolean = () => false;
  #onDone: (() => void) | undefined;
  #startMeanwhile: () => () => void = () => () => {};
  #failure: Error | undefined;
  #onFailure: ((error: Error) => void) | undefined;

  private constructor(plan: Plan) {
    this.#requests = new RequestMaker(plan.template);
    this.#watchers = plan.watch?.watchers ?? 0;
  }

  static async open(plan: Plan): Promise<Generator> {
    const generator = new Generator(plan);
    for (let i = 0; i < plan.connections; i++) {
      generator.#idle.push(await Connection.open(plan.access, generator.#fail));
    }
    if (plan.meanwhile) await generator.#openMeanwhile(plan.access, plan.meanwhile);
    const { watch } = plan;
    for (let i = 0; i < (watch?.watchers ?? 0); i++) {
      const onEvents = (count: number): void => generator.#onEvents(count);
      await openWatcher(plan.access, watch!.path, { onEvents, onError: generator.#fail });
    }
    return generator;
  }

  /** Sends until the end is reached, and waits for what is still to come. */
  async round(until: RoundEnd): Promise<Round> {
    const start = performance.now();
    const deadline = start + (until.ms ?? Infinity);
    const last = this.#sent + (until.requests ?? Infinity);
    this.#mayStart = () => this.#sent < last && performance.now() < deadline;
    const before = this.#count();
    const stopMeanwhile = this.#startMeanwhile();
    await new Promise<void>((resolve, reject) => {
      this.#onDone = resolve;
      this.#onFailure = reject;
      if (this.#failure) reject(this.#failure);
      this.#sendMore();
    });
    stopMeanwhile();
    return { count: this.#count() - before, ms: performance.now() - start };
  }

  async #openMeanwhile(access: Access, { template, everyMs }: NonNullable<Plan['meanwhile']>): Promise<void> {
    const connection = await Connection.open(access, this.#fail);
    const requests = new RequestMaker(template);
    let isFree = true;
    const send = (): void => {
      if (!isFree) return;
      isFree = false;
      connection.send(requests.next(), () => (isFree = true));
    };
    this.#startMeanwhile = () => {
      const timer = setInterval(send, everyMs);
      return () => clearInterval(timer);
    };
  }

  readonly #fail = (error: Error): void => {
    this.#failure ??= error;
    this.#onFailure?.(error);
  };

  #count(): number {
    return this.#watchers > 0 ? this.#delivered : this.#answered;
  }

  #sendMore(): void {
    while (this.#idle.length > 0 && this.#hasRoom() && this.#mayStart()) this.#send(this.#idle.pop()!);
    const isQuiet = this.#answered === this.#sent && this.#delivered === this.#sent * this.#watchers;
    if (isQuiet && !this.#mayStart()) this.#onDone?.();
  }

  #send(connection: Connection): void {
    this.#sent++;
    connection.send(this.#requests.next(), () => {
      this.#answered++;
      this.#idle.push(connection);
      this.#sendMore();
    });
  }

  #hasRoom(): boolean {
    return this.#watchers === 0 || this.#sent - this.#delivered / this.#watchers < writesAhead;
  }

  #onEvents(count: number): void {
    this.#delivered += count;
    if (this.#hasRoom()) this.#sendMore();
  }
}
