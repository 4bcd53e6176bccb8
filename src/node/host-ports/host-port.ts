import type { Clock, Timer } from '../../base/clock.ts';
import { openConnection } from '../probes/open-connection.ts';
import { BindProblem } from '../service-proxy/bind-problem.ts';
import type { HostPortWish } from './host-port-wish.ts';

export interface HostPortOptions {
  readonly wish: HostPortWish;
  readonly podIP: string;
  /** Whether the pod's programs leave the ports of the node alone. */
  readonly hasOwnPorts: boolean;
  readonly clock: Clock;
  /** Opens the port. Fails with `BindProblem`. */
  bind(): Promise<void>;
  unbind(): void;
  /** The port cannot be had now; it is tried again. Told once for each problem. */
  onProblem(message: string): void;
}

const lookMs = 1000;
const retryMs = 10_000;

/**
 * One port of the node that leads to a pod. States: waiting (for the pod's program to listen) -> open, or failed (tried again later) -> closed.
 *
 * Most pods share the addresses of the machine with the node. A program that listens on all of them has the port of the node itself, if the number is the
 * same; taking it first would keep the program from starting, so the node waits until the program has what it wants.
 */
export class HostPort {
  readonly #options: HostPortOptions;
  readonly #closing = new AbortController();
  #timer: Timer | undefined;
  #isBound = false;
  #toldProblem = '';

  constructor(options: HostPortOptions) {
    this.#options = options;
    void this.#try();
  }

  close(): void {
    this.#closing.abort();
    this.#timer?.cancel();
    if (this.#isBound) this.#options.unbind();
    this.#isBound = false;
  }

  async #try(): Promise<void> {
    const { wish, hasOwnPorts } = this.#options;
    const isListening = await this.#isListening();
    // Whoever closes all ports waits for those that are being opened, and for no other.
    if (this.#closing.signal.aborted) return;
    if (!isListening) return this.#plan(lookMs);
    try {
      await this.#options.bind();
    } catch (error) {
      const isPrograms = !hasOwnPorts && wish.port === wish.containerPort && isTaken(error);
      if (!isPrograms) this.#fail(error);
      return;
    }
    this.#isBound = true;
    if (this.#closing.signal.aborted) this.close();
  }

  /** Who listens for datagrams cannot be found out. */
  async #isListening(): Promise<boolean> {
    const { wish, podIP, clock } = this.#options;
    if (wish.protocol === 'UDP') return true;
    const late = new AbortController();
    const timer = clock.after(lookMs, () => late.abort());
    try {
      await openConnection(wish.containerPort, podIP, AbortSignal.any([late.signal, this.#closing.signal]));
      return true;
    } catch {
      return false;
    } finally {
      timer.cancel();
    }
  }

  #fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (!this.#closing.signal.aborted && message !== this.#toldProblem) this.#options.onProblem(message);
    this.#toldProblem = message;
    this.#plan(retryMs);
  }

  #plan(ms: number): void {
    if (this.#closing.signal.aborted) return;
    this.#timer = this.#options.clock.after(ms, () => void this.#try());
  }
}

function isTaken(error: unknown): boolean {
  const { cause } = error instanceof BindProblem ? error : {};
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
}
