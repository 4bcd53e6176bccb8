import { PassThrough, type Readable } from 'node:stream';
import type { Clock, Timer } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import type {
  AttachedStreams,
  ContainerExit,
  ContainerPlan,
  ExecProcess,
  LogOptions,
  PodId,
  RunningContainer,
  Usage,
} from '../runtime.ts';
import { ScriptedLog } from './scripted-log.ts';

/** What one run of a container does. Times are in milliseconds. */
export interface RunScript {
  /** How long it runs by itself; for ever when absent. */
  readonly runFor?: number;
  readonly exitCode?: number;
  /** How long it takes to end when it is told to; at once when absent, never for Infinity. */
  readonly stopAfter?: number;
  /** What it leaves as its last words. */
  readonly message?: string;
}

/** What a command that is run beside a container does with its streams; gives its exit code. */
export type RunCommand = (command: readonly string[], streams: CommandEnds) => Promise<number>;

/** The streams of a command, from its own side. */
export interface CommandEnds {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  /** Aborted when the command is killed. */
  readonly killed: AbortSignal;
}

export interface ScriptedContainerOptions {
  readonly id: string;
  readonly plan: ContainerPlan;
  readonly script: RunScript;
  readonly clock: Clock;
  readonly runCommand: RunCommand;
  readonly warnings: readonly string[];
  readonly onStop: (graceMs: number) => void;
  readonly onRemove: () => void;
}

/** A container that does what its script says, in the time of its clock. */
export class ScriptedContainer implements RunningContainer {
  readonly id: string;
  readonly pod: PodId;
  readonly name: string;
  readonly attempt: number;
  readonly imageId: string;
  readonly startedAt: number;
  readonly warnings: readonly string[];
  readonly plan: ContainerPlan;
  readonly log = new ScriptedLog();
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  /** Commands that run beside it. */
  commands = 0;
  readonly #options: ScriptedContainerOptions;
  readonly #exited = deferred<ContainerExit>();
  readonly #timers: Timer[] = [];
  #exit: ContainerExit | undefined;

  constructor(options: ScriptedContainerOptions) {
    this.#options = options;
    const { id, plan, clock, script } = options;
    this.id = id;
    this.plan = plan;
    this.pod = plan.pod;
    this.name = plan.container.name;
    this.attempt = plan.attempt;
    this.imageId = plan.image.id;
    this.startedAt = clock.now();
    this.warnings = options.warnings;
    if (script.runFor !== undefined) this.#after(script.runFor, () => this.end(script.exitCode ?? 0));
  }

  get exited(): Promise<ContainerExit> {
    return this.#exited.promise;
  }

  get exit(): ContainerExit | undefined {
    return this.#exit;
  }

  stop(graceMs: number): Promise<ContainerExit> {
    this.#options.onStop(graceMs);
    const { script } = this.#options;
    const stopAfter = script.stopAfter ?? 0;
    if (!this.#exit && stopAfter <= graceMs) this.#after(stopAfter, () => this.end(script.exitCode ?? 143, 'SIGTERM'));
    else if (!this.#exit) this.#after(graceMs, () => this.end(137, 'SIGKILL'));
    return this.exited;
  }

  end(code: number, signal?: string): void {
    if (this.#exit) return;
    for (const timer of this.#timers) timer.cancel();
    const { clock, script } = this.#options;
    const reason = code === 0 ? 'Completed' : 'Error';
    this.#exit = { code, signal, finishedAt: clock.now(), message: script.message, reason };
    this.log.end();
    this.stdout.end();
    this.#exited.resolve(this.#exit);
  }

  print(text: string): void {
    this.log.print(this.#options.clock.now(), text);
    this.stdout.write(`${text}\n`);
  }

  async exec(command: readonly string[]): Promise<ExecProcess> {
    if (this.#exit) throw new Error('the container has ended');
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const killing = new AbortController();
    const ends = { stdin, stdout, stderr, killed: killing.signal };
    this.commands++;
    const exitCode = this.#options.runCommand(command, ends).finally(() => {
      this.commands--;
      stdout.end();
      stderr.end();
    });
    return { stdin, stdout, stderr, exitCode, resize: () => undefined, detach: () => undefined, kill: () => killing.abort() }; // prettier-ignore
  }

  async attach(): Promise<AttachedStreams> {
    const stdout = new PassThrough();
    this.stdout.pipe(stdout);
    const detach = (): void => void this.stdout.unpipe(stdout);
    return { stdin: this.stdin, stdout, resize: () => undefined, detach };
  }

  async logs(options: LogOptions): Promise<Readable> {
    return this.log.read(options);
  }

  async usage(): Promise<Usage | undefined> {
    if (this.#exit) return undefined;
    // A quarter of a processor.
    return { cpuNanos: (this.#options.clock.now() - this.startedAt) * 250_000, memoryBytes: 64 * 1024 * 1024 };
  }

  async remove(): Promise<void> {
    if (!this.#exit) throw new Error(`container ${this.id} still runs`);
    this.#options.onRemove();
  }

  #after(ms: number, callback: () => void): void {
    if (ms === Infinity) return;
    if (ms <= 0) callback();
    else this.#timers.push(this.#options.clock.after(ms, callback));
  }
}
