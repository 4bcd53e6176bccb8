import { execFile } from 'node:child_process';
import type { HostTools } from '../host-tools.ts';

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** Sets the size of a pseudo-terminal. The kernel tells the programs on it. Sizes that come while one is being set wait, the last one wins. */
export class TerminalResizer {
  readonly #tools: HostTools;
  readonly #path: Promise<string | undefined>;
  #wanted: TerminalSize | undefined;
  #busy = false;

  /** `path` resolves with the terminal's device once it is known. */
  constructor(tools: HostTools, path: Promise<string | undefined>) {
    this.#tools = tools;
    this.#path = path;
  }

  resize(size: TerminalSize): void {
    this.#wanted = size;
    if (this.#busy) return;
    this.#busy = true;
    void this.#setAll().finally(() => (this.#busy = false));
  }

  async #setAll(): Promise<void> {
    const path = await this.#path;
    if (path === undefined) return;
    while (this.#wanted) {
      const { width, height } = this.#wanted;
      this.#wanted = undefined;
      await this.#set(path, ['cols', String(width), 'rows', String(height)]);
    }
  }

  /** A terminal that is gone needs no size. */
  #set(path: string, size: readonly string[]): Promise<void> {
    const stty = this.#tools.find('stty', 'to set the size of terminals');
    return new Promise((resolve) => {
      execFile(stty, ['-F', path, ...size], () => resolve());
    });
  }
}
