/**
 * Reads that are asked for while one is under way share the next one: each sees what was there when it was asked for, and there are never more than two.
 */
export class SharedRead<T> {
  readonly #read: () => Promise<T>;
  #current: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  get(): Promise<T> {
    if (!this.#current) return this.#start();
    this.#next ??= this.#current.then(
      () => this.#startNext(),
      () => this.#startNext(),
    );
    return this.#next;
  }

  #startNext(): Promise<T> {
    this.#next = undefined;
    return this.#start();
  }

  #start(): Promise<T> {
    const reading = this.#read();
    this.#current = reading;
    const end = (): void => {
      if (this.#current === reading) this.#current = undefined;
    };
    reading.then(end, end);
    return reading;
  }
}
