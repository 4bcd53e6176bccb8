import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { deferred } from '../../../../base/deferred.ts';
import type {
  AttachedStreams,
  ContainerExit,
  ExecProcess,
  LogOptions,
  PodId,
  RunningContainer,
  Usage,
} from '../../../runtime.ts';
import { LogFiles } from '../logs/log-files.ts';
import { readLog } from '../logs/log-reader.ts';
import { LogWriter } from '../logs/log-writer.ts';
import type { LogStream } from '../logs/log-entry.ts';
import { StreamPump } from '../logs/stream-pump.ts';
import { joinNamespaces } from '../mounts/namespaces.ts';
import { enterNetwork } from '../network/enter-network.ts';
import { usageOf } from '../proc/container-usage.ts';
import { isRunning, processStat, readIdentity, signal, type ProcessIdentity } from '../proc/process-identity.ts';
import { Attachment } from './attachment.ts';
import { containerFiles, writeResult, type ContainerRecord } from './container-record.ts';
import { killProcess, killProcesses, terminateProcesses, type ProcessChoice } from './end-processes.ts';
import { execute } from './exec.ts';
import { exitOf } from './exit.ts';
import { openStdin } from './stdin.ts';
import { TerminalResizer } from './terminal.ts';
import type { ContainerSurroundings } from './surroundings.ts';

const endRetryMs = 1000;

/**
 * A container as the agent sees it. Running: its streams are read into the log. Ending: its main process is gone; the others are killed, what is
 * left in the streams is read, and how it ended is written down. Ended: `exit` is there, and only the log and the record are left.
 */
export class ProcessContainer implements RunningContainer {
  readonly id: string;
  readonly warnings: readonly string[];
  readonly exited: Promise<ContainerExit>;
  readonly record: ContainerRecord;
  readonly #directory: string;
  readonly #around: ContainerSurroundings;
  readonly #log: LogWriter;
  readonly #files: LogFiles;
  readonly #exited = deferred<ContainerExit>();
  readonly #closing = deferred<void>();
  readonly #attachments = new Set<Attachment>();
  readonly #execs = new Set<ExecProcess>();
  #exit: ContainerExit | undefined;
  #outputs: readonly StreamPump[] = [];
  #events: StreamPump | undefined;
  #ending: Promise<void> | undefined;
  #isClosing = false;
  /** Whether it went on when this object was closed. */
  #closed = false;

  constructor(record: ContainerRecord, directory: string, around: ContainerSurroundings) {
    this.id = `process://${record.id}`;
    this.record = record;
    this.warnings = record.warnings;
    this.exited = this.#exited.promise;
    this.#directory = directory;
    this.#around = around;
    this.#files = new LogFiles(directory);
    this.#log = new LogWriter({
      files: this.#files,
      limits: around.logLimits,
      clock: around.clock,
      immediate: record.tty,
    });
  }

  get pod(): PodId {
    return this.record.pod;
  }
  get name(): string {
    return this.record.name;
  }
  get attempt(): number {
    return this.record.attempt;
  }
  get imageId(): string {
    return this.record.imageId;
  }
  get startedAt(): number {
    return this.record.startedAt;
  }
  get exit(): ContainerExit | undefined {
    return this.#exit;
  }

  /** Takes it up where it is: `exit` for one of which everything is known to have ended. */
  async open(exit: ContainerExit | undefined): Promise<void> {
    if (exit) return this.#finish(exit);
    const supervisor = this.#identity(containerFiles.supervisor);
    if (this.record.namespaces !== 'none' && supervisor && isRunning(supervisor))
      this.#around.table.learnNamespace(this.record.id, supervisor.pid);
    const pump = (stream: LogStream): StreamPump =>
      new StreamPump(join(this.#directory, containerFiles[stream]), (chunk) => this.#take(stream, chunk));
    this.#outputs = [pump('stdout'), pump('stderr')];
    // A byte says that the main process has ended, the end of the stream that the supervisor has.
    this.#events = new StreamPump(join(this.#directory, containerFiles.events), async () => this.#startEnding());
    this.#events.ended.then(
      () => this.#startEnding(),
      () => this.#startEnding(),
    );
  }

  async stop(graceMs: number): Promise<ContainerExit> {
    if (this.#exit) return this.#exit;
    if (graceMs > 0 && !this.#ending) {
      await this.#terminate();
      await this.#pause(graceMs);
    }
    if (!this.#exit && !this.#ending && !this.#closed) await this.#killAll();
    return this.exited;
  }

  async exec(command: readonly string[], { tty, stdin }: { tty: boolean; stdin: boolean }): Promise<ExecProcess> {
    const { tools } = this.#around;
    const { namespaces, network, asUser, environment, workingDirectory } = this.record;
    const inNetwork = enterNetwork(tools, network === 'host' ? undefined : network);
    const joinFiles = (await this.#around.cgroupOf(this.record))?.joinFiles ?? [];
    // Nothing is waited for between this look and the start: what ends a container finds only what is there already.
    const supervisor = this.#identity(containerFiles.supervisor);
    if (this.#isOver || !supervisor) throw this.#notRunning();
    const exec = await execute({
      tools,
      join: [...inNetwork, ...(namespaces === 'none' ? [] : joinNamespaces(namespaces, tools, supervisor.pid))],
      joinFiles,
      asUser,
      workingDirectory,
      environment: tty ? { TERM: 'xterm', ...environment } : environment,
      command,
      tty,
      stdin,
    });
    if (this.#closed) {
      exec.kill();
      throw this.#notRunning();
    }
    this.#execs.add(exec);
    void exec.exitCode.finally(() => this.#execs.delete(exec));
    return exec;
  }

  async attach(): Promise<AttachedStreams> {
    if (this.#isOver) throw this.#notRunning();
    const { clock, tools } = this.#around;
    const stdin = openStdin(this.#directory, this.record);
    const attachment: Attachment = new Attachment({
      clock,
      ...(stdin && { stdin }),
      ...(this.record.tty && { resizer: new TerminalResizer(tools, this.#terminal()) }),
      onDetach: () => this.#attachments.delete(attachment),
    });
    this.#attachments.add(attachment);
    return attachment;
  }

  async logs(options: LogOptions): Promise<Readable> {
    return readLog(this.#files, this.#log, options);
  }

  async usage(): Promise<Usage | undefined> {
    if (this.#exit) return undefined;
    const scan = await this.#around.table.scan();
    const supervisor = this.#identity(containerFiles.supervisor)?.pid;
    const processes = (scan.get(this.record.id) ?? []).filter(({ pid }) => pid !== supervisor);
    if (processes.length === 0) return undefined;
    const usage = usageOf(processes, this.#around.pageSize);
    // A group knows better than the sum of its processes, which counts what they share several times.
    const cgroup = await this.#around.cgroupOf(this.record);
    return { ...usage, memoryBytes: (await cgroup?.memoryBytes()) ?? usage.memoryBytes };
  }

  async remove(): Promise<void> {
    if (!this.#exit) throw new Error(`container ${this.name} is running and cannot be removed`);
    const cgroup = await this.#around.cgroupOf(this.record);
    await cgroup?.remove();
    this.#around.forget(this);
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** Ends what belongs to this object. The container goes on; one that is just ending does so first, because what it wrote is in our hands. */
  async close(): Promise<void> {
    for (const exec of this.#execs) exec.kill();
    this.#isClosing = true;
    this.#closing.resolve();
    if (!this.#exit && !this.#ending) {
      this.#closed = true;
      await Promise.all([...this.#outputs.map((pump) => pump.stop()), this.#events?.stop()]);
      await this.#log.close();
    }
    await this.#ending;
    for (const attachment of this.#attachments) attachment.end();
  }

  /** Whether it can be given nothing more to do: it ends or has ended, or is in others' hands from now on. */
  get #isOver(): boolean {
    return this.#exit !== undefined || this.#ending !== undefined || this.#closed;
  }

  #notRunning(): Error {
    return new Error(`container ${this.name} is not running`);
  }

  #identity(file: string): ProcessIdentity | undefined {
    return this.#around.boot === this.record.boot ? readIdentity(join(this.#directory, file)) : undefined;
  }

  async #take(stream: LogStream, chunk: Buffer): Promise<void> {
    const written = this.#orTell('the log of a container cannot be written', () => this.#log.append(stream, chunk));
    await Promise.all([written, ...[...this.#attachments].map((attachment) => attachment.write(stream, chunk))]);
  }

  /** All of its processes but those that are ours: the supervisor, what holds its input open, and what copies its terminal. */
  #own(): ProcessChoice {
    const main = this.#identity(containerFiles.process);
    const parent = this.record.tty && main && isRunning(main) ? processStat(main.pid)?.parent : undefined;
    const files = [containerFiles.supervisor, containerFiles.stdinHolder];
    const spared = [parent, ...files.map((file) => this.#identity(file)?.pid)].filter((pid) => pid !== undefined);
    return { table: this.#around.table, container: this.record.id, spared: new Set(spared) };
  }

  async #terminate(): Promise<void> {
    const main = this.#identity(containerFiles.process);
    const own = this.#own();
    if (main) signal(main, 'SIGTERM', 'group');
    await terminateProcesses(own, main?.pid ?? 0);
  }

  /** Waits until it has ended, nobody waits any more, or the time is over. */
  async #pause(ms: number): Promise<void> {
    const over = deferred<void>();
    const timer = this.#around.clock.after(ms, over.resolve);
    await Promise.race([this.exited, over.promise, this.#closing.promise]);
    timer.cancel();
  }

  /** The supervisor is left, to tell how the main process ended. Gives whether nothing else is. */
  async #killAll(): Promise<boolean> {
    const supervisor = this.#identity(containerFiles.supervisor)?.pid;
    const spared = new Set(supervisor === undefined ? [] : [supervisor]);
    const choice = { table: this.#around.table, container: this.record.id, spared };
    const left = await killProcesses(choice, this.#around.clock);
    if (left.length > 0) {
      const pids = left.map(({ pid }) => pid);
      this.#around.logger.warn('processes of a container may not be killed', { container: this.id, pids });
    }
    return left.length === 0;
  }

  #startEnding(): void {
    if (this.#closed || this.#exit) return;
    this.#ending ??= this.#endAtLast();
  }

  /** What keeps it from ending properly, such as too many open files, may pass. */
  async #endAtLast(): Promise<void> {
    do {
      try {
        return await this.#end();
      } catch (error) {
        this.#around.logger.error('a container did not end properly; trying again', { container: this.id, error });
        await this.#pause(endRetryMs);
      }
    } while (!this.#isClosing);
  }

  async #end(): Promise<void> {
    const areAllGone = await this.#killAll();
    const supervisor = this.#identity(containerFiles.supervisor);
    if (supervisor) await killProcess(supervisor, this.#around.clock);
    // What we have no right to kill may hold the outputs open for ever.
    await Promise.all(this.#outputs.map((pump) => (areAllGone ? pump.ended.catch(() => {}) : pump.stop())));
    await this.#events?.stop();
    const cgroup = await this.#around.cgroupOf(this.record);
    const exit = await exitOf(this.#directory, { now: this.#around.clock.now(), outOfMemory: (await cgroup?.ranOutOfMemory()) ?? false }); // prettier-ignore
    await this.#orTell('how a container ended cannot be written down', () => writeResult(this.#directory, exit));
    await this.#finish(exit);
  }

  /** A full disk, say, keeps no container from having ended. */
  async #orTell(problem: string, act: () => Promise<void>): Promise<void> {
    await act().catch((error: unknown) => this.#around.logger.error(problem, { container: this.id, error }));
  }

  async #finish(exit: ContainerExit): Promise<void> {
    this.#exit = exit;
    this.#around.table.forget(this.record.id);
    await this.#orTell('the log of a container cannot be written to its end', () => this.#log.close());
    for (const attachment of this.#attachments) attachment.end();
    this.#exited.resolve(exit);
  }

  /** Its terminal by the name that we know it under; where the container's own devices are mounted, it has another there. */
  async #terminal(): Promise<string | undefined> {
    const name = await readFile(join(this.#directory, containerFiles.terminal), 'utf8').catch(() => '');
    const number = /\/pts\/(\d+)\n/.exec(name)?.[1];
    return number === undefined ? undefined : `/dev/pts/${number}`;
  }
}
