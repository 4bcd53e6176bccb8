import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../../../base/clock.ts';
import { deferred, type Deferred } from '../../../../base/deferred.ts';
import type { HostTools } from '../host-tools.ts';
import { enterNetwork } from '../network/enter-network.ts';
import { programFile } from '../programs/program-file.ts';

/** What is asked of the program within a namespace. */
export interface ConnectionRequest {
  readonly id: number;
  readonly hosts: readonly string[];
  readonly port: number;
}

/** What it answers; a connection that was made comes along with it. */
export interface ConnectionAnswer {
  readonly id: number;
  /** Why there is none. */
  readonly failure?: string;
}

const idleMs = 30_000;

/**
 * Makes connections from within network namespaces, to what listens there for itself alone. A process has one network, so a small program of ours enters the
 * namespace when a connection is wanted, and hands over each one that it has made: what goes through it costs nothing more. It ends when none was wanted
 * for a while.
 */
export class InnerConnections {
  readonly #tools: HostTools;
  readonly #clock: Clock;
  readonly #programs = new Map<string, InnerProgram>();

  constructor(tools: HostTools, clock: Clock) {
    this.#tools = tools;
    this.#clock = clock;
  }

  /** Connects to the first of these addresses that takes the connection. */
  async connect(namespace: string, request: Omit<ConnectionRequest, 'id'>, signal: AbortSignal): Promise<Socket> {
    signal.throwIfAborted();
    const program = this.#programs.get(namespace) ?? this.#start(namespace);
    try {
      return await program.connect(request, signal);
    } finally {
      this.#endLater(namespace, program);
    }
  }

  /** Nothing of ours holds the namespace any more when this resolves. Connections that were made go on. */
  async leave(namespace: string): Promise<void> {
    const program = this.#programs.get(namespace);
    this.#programs.delete(namespace);
    await program?.end();
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#programs.keys(), (namespace) => this.leave(namespace)));
  }

  #start(namespace: string): InnerProgram {
    const program = new InnerProgram(this.#tools, namespace);
    this.#programs.set(namespace, program);
    void program.ended.then(() => this.#forget(namespace, program));
    return program;
  }

  /** Whoever comes from now on gets another one. */
  #forget(namespace: string, program: InnerProgram): void {
    if (this.#programs.get(namespace) === program) this.#programs.delete(namespace);
  }

  #endLater(namespace: string, program: InnerProgram): void {
    program.endTimer?.cancel();
    program.endTimer = this.#clock.after(idleMs, () => {
      if (program.isBusy) return;
      this.#forget(namespace, program);
      void program.end();
    });
  }
}

class InnerProgram {
  readonly ended: Promise<void>;
  endTimer: Timer | undefined;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Deferred<Socket>>();
  #next = 0;

  constructor(tools: HostTools, namespace: string) {
    const [program, ...args] = [...enterNetwork(tools, namespace), process.execPath, programFile('connect-from-inside')]; // prettier-ignore
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {} });
    this.#child = child;
    this.ended = Promise.race([once(child, 'exit'), once(child, 'error')]).then(
      () => this.#fail(),
      () => this.#fail(),
    );
    child.on('message', (answer, socket) => this.#settle(answer as ConnectionAnswer, socket as Socket | undefined));
    child.unref();
    child.channel?.unref();
  }

  /** Whether somebody waits for a connection. */
  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  async connect(request: Omit<ConnectionRequest, 'id'>, signal: AbortSignal): Promise<Socket> {
    const id = this.#next++;
    const waiting = deferred<Socket>();
    this.#waiting.set(id, waiting);
    const giveUp = (): void => this.#settle({ id, failure: 'the connection was given up' }, undefined);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#child.send({ id, ...request } satisfies ConnectionRequest, (error) => {
      if (error) this.#settle({ id, failure: error.message }, undefined);
    });
    try {
      return await waiting.promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async end(): Promise<void> {
    this.endTimer?.cancel();
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #settle({ id, failure }: ConnectionAnswer, socket: Socket | undefined): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (!waiting) socket?.destroy();
    else if (socket) waiting.resolve(asOwn(socket));
    else waiting.reject(new Error(failure ?? 'there is no connection'));
  }

  #fail(): void {
    for (const id of this.#waiting.keys()) this.#settle({ id, failure: 'the pod is gone' }, undefined);
  }
}

/** As one that was made here: each side ends on its own. */
function asOwn(socket: Socket): Socket {
  socket.allowHalfOpen = true;
  return socket.setNoDelay(true);
}
