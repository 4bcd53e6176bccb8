import { Readable, type Writable } from 'node:stream';
import type { Clock } from '../../../../base/clock.ts';
import { deferred, type Deferred } from '../../../../base/deferred.ts';
import type { AttachedStreams } from '../../../runtime.ts';
import type { LogStream } from '../logs/log-entry.ts';
import type { TerminalResizer } from './terminal.ts';

/** What one who is attached may have waiting before the container is held back. */
const maxWaiting = 1_048_576;
/** How long a container is held back for one who does not read. */
export const patienceMs = 10_000;

export interface AttachmentOptions {
  readonly clock: Clock;
  readonly stdin?: Writable;
  /** Only a container with a terminal has one. */
  readonly resizer?: TerminalResizer;
  readonly onDetach: () => void;
}

/**
 * One who is attached to a container sees what it writes from now on. One who reads slowly holds the container back, as a terminal does; one who
 * does not read at all is detached with an error after a while, so that a dead connection does not stop a container for good.
 */
export class Attachment implements AttachedStreams {
  readonly stdin?: Writable;
  readonly stdout: AttachedOutput;
  readonly stderr?: AttachedOutput;
  readonly #options: AttachmentOptions;

  constructor(options: AttachmentOptions) {
    this.#options = options;
    if (options.stdin) this.stdin = options.stdin;
    this.stdout = new AttachedOutput();
    if (!options.resizer) this.stderr = new AttachedOutput();
  }

  /** Resolves when there is room for more. */
  async write(stream: LogStream, chunk: Buffer): Promise<void> {
    const output = (stream === 'stderr' && this.stderr) || this.stdout;
    // One who has closed this output does not want it.
    if (output.destroyed) return;
    output.push(Buffer.from(chunk));
    if (output.readableLength < maxWaiting) return;
    const timer = this.#options.clock.after(patienceMs, () => {
      output.destroy(new Error('detached: the output of the container was not read'));
      this.detach();
    });
    await output.room();
    timer.cancel();
  }

  /** The container has ended. */
  end(): void {
    this.stdout.push(null);
    this.stderr?.push(null);
    this.stdin?.destroy();
  }

  resize(size: { readonly width: number; readonly height: number }): void {
    this.#options.resizer?.resize(size);
  }

  detach(): void {
    this.#options.onDetach();
    this.stdin?.end();
    this.stdout.destroy();
    this.stderr?.destroy();
  }
}

/** What is pushed waits until it is read. */
class AttachedOutput extends Readable {
  #taken: Deferred<void> | undefined;

  /** Resolves when something was taken, or when nothing will be. */
  room(): Promise<void> {
    this.#taken ??= deferred<void>();
    return this.#taken.promise;
  }

  override _read(): void {
    this.#wake();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#wake();
    callback(error);
  }

  #wake(): void {
    this.#taken?.resolve();
    this.#taken = undefined;
  }
}
