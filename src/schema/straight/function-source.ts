/** The text of a function that is put together at run time, and the values that it refers to. */
export class FunctionSource {
  readonly #lines: string[] = [];
  readonly #values: unknown[] = [];

  /** A name by which the text can use a value. */
  nameOf(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length - 1}`;
  }

  add(line: string): void {
    this.#lines.push(line);
  }

  /** Throws an `EvalError` where the process forbids to make functions from text. */
  build(parameters: readonly string[]): (...values: unknown[]) => unknown {
    const names = this.#values.map((_, index) => `$${index}`);
    const text = `'use strict'; return (${parameters.join(', ')}) => {\n${this.#lines.join('\n')}\n};`;
    // The text is made of our own schemas, never of anything that comes from outside.
    // oxlint-disable-next-line typescript/no-implied-eval
    const make = new Function(...names, text) as (...values: unknown[]) => (...values: unknown[]) => unknown;
    return make(...this.#values);
  }
}
