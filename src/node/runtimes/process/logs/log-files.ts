import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const prefix = 'log.';

/** The files of one log, numbered in the order of their making: a reader goes from one to the next, and nothing is ever renamed under it. */
export class LogFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  path(number: number): string {
    return join(this.#directory, `${prefix}${String(number).padStart(6, '0')}`);
  }

  /** The numbers of those that are there, oldest first; none of a container that was removed while somebody reads. */
  async numbers(): Promise<number[]> {
    const names = await readdir(this.#directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names
      .filter((name) => name.startsWith(prefix))
      .map((name) => Number(name.slice(prefix.length)))
      .sort((a, b) => a - b);
  }

  async remove(number: number): Promise<void> {
    await rm(this.path(number), { force: true });
  }
}
