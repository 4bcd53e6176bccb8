import { mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';

export interface RotatingFileOptions {
  readonly path: string;
  /** When a file would grow beyond this, it is put aside and a new one begun. */
  readonly maxBytes: number;
  /** How many files that were put aside are kept; 0 for all. */
  readonly maxBackups: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** After trying in vain to put a file aside, this long passes before it is tried again. */
const retryMs = 60_000;

/** A file that is only added to, and put aside under a name with the time when it is full. Calls must not overlap. */
export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #handle: FileHandle;
  /** Bytes of what was added as a whole. */
  #size: number;
  /** In ticks. */
  #retryAt = -Infinity;

  private constructor(options: RotatingFileOptions, opened: Opened) {
    this.#options = options;
    this.#handle = opened.handle;
    this.#size = opened.size;
  }

  /** Directories that are missing on the way are made, for the owner alone. */
  static async open(options: RotatingFileOptions): Promise<RotatingFile> {
    await mkdir(dirname(options.path), { recursive: true, mode: 0o700 });
    return new RotatingFile(options, await openForAppending(options.path));
  }

  /** Adds all of it or, with an error, nothing. */
  async append(bytes: Buffer): Promise<void> {
    if (this.#size > 0 && this.#size + bytes.length > this.#options.maxBytes) await this.#tryToRotate();
    try {
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await this.#handle.write(bytes, at);
        at += bytesWritten;
      }
    } catch (error) {
      // A disk that is full may have taken a part.
      await this.#handle.truncate(this.#size).catch(() => undefined);
      throw error;
    }
    this.#size += bytes.length;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** A file that cannot be put aside is written on: too large is better than not written. */
  async #tryToRotate(): Promise<void> {
    const { clock, logger, path } = this.#options;
    if (clock.ticks() < this.#retryAt) return;
    try {
      await this.#rotate();
    } catch (error) {
      this.#retryAt = clock.ticks() + retryMs;
      logger.warn('the file is full and cannot be put aside', { path, error });
    }
  }

  async #rotate(): Promise<void> {
    const { path } = this.#options;
    await moveIfThere(path, await this.#backupPath());
    const opened = await openForAppending(path);
    const old = this.#handle;
    this.#handle = opened.handle;
    this.#size = opened.size;
    await old.close();
    await this.#removeOldest();
  }

  /** The time of putting aside, in a form that sorts. */
  async #backupPath(): Promise<string> {
    const { path, clock } = this.#options;
    const taken = new Set(await this.#backups());
    for (let time = clock.now(); ; time++) {
      const stamp = new Date(time).toISOString().replaceAll(':', '-').replace('Z', '');
      const name = `${stem(path)}-${stamp}${extname(path)}`;
      if (!taken.has(name)) return join(dirname(path), name);
    }
  }

  async #removeOldest(): Promise<void> {
    const { path, maxBackups } = this.#options;
    if (maxBackups === 0) return;
    const backups = await this.#backups();
    for (const name of backups.slice(0, -maxBackups)) await rm(join(dirname(path), name), { force: true });
  }

  /** Oldest first. */
  async #backups(): Promise<string[]> {
    const { path } = this.#options;
    const [prefix, suffix] = [`${stem(path)}-`, extname(path)];
    const names = await readdir(dirname(path));
    return names
      .filter((name) => name.startsWith(prefix) && name.endsWith(suffix))
      .filter((name) =>
        /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/.test(name.slice(prefix.length, name.length - suffix.length)),
      ) // prettier-ignore
      .sort();
  }
}

interface Opened {
  readonly handle: FileHandle;
  readonly size: number;
}

/** Others may have moved the file away, as may a try that could not open the next one. */
async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Only its owner may read it. */
async function openForAppending(path: string): Promise<Opened> {
  const handle = await open(path, 'a', 0o600);
  const { size } = await handle.stat();
  return { handle, size };
}

function stem(path: string): string {
  return basename(path, extname(path));
}
