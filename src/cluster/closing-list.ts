/** What has been opened so far; closed in the opposite order, all of it, even where closing one thing fails. */
export class ClosingList {
  readonly #closers: (() => void | Promise<void>)[] = [];
  #closing: Promise<void> | undefined;

  add(close: () => void | Promise<void>): void {
    this.#closers.push(close);
  }

  /** Calling it again gives the same promise. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  /** Closes what was opened before something failed, and fails as that did, whatever closing does. */
  async closeAfter(error: unknown): Promise<never> {
    await this.close().catch(() => undefined);
    throw error;
  }

  async #closeAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const close of this.#closers.reverse()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'not everything could be closed');
  }
}
