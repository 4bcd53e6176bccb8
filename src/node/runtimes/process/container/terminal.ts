import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { HostTools } from '../host-tools.ts';

const run = promisify(execFile);

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** Sets the size of a pseudo-terminal. The kernel tells the programs on it. Sizes that come while one is being set wait, the last one wins. */
export class TerminalResizer {
  readonly #tools: HostTools;
  readonly #path: Promise<string | undefined>;
  #wanted: TerminalSize | undefined;
  #isBusy = false;

  /** `path` resolves with the terminal's device once it is known. */
  constructor(tools: HostTools, path: Promise<string | undefined>) {
    this.#tools = tools;
    this.#path = path;
  }

  resize(size: TerminalSize): void {
    this.#wanted = size;
    if (!this.#isBusy) void this.#setAll();
  }

  async #setAll(): Promise<void> {
    this.#isBusy = true;
    const path = await this.#path;
    while (this.#wanted) {
      const { width, height } = this.#wanted;
      this.#wanted = undefined;
      if (path !== undefined) await this.#set(path, ['cols', String(width), 'rows', String(height)]);
    }
    this.#isBusy = false;
  }

  async #set(path: string, size: readonly string[]): Promise<void> {
    try {
      const stty = this.#tools.find('stty', 'to set the size of terminals');
      await run(stty, ['-F', path, ...size]);
    } catch {
      // A terminal that is gone needs no size; where nobody can set it, it keeps the one that it has.
    }
  }
}
