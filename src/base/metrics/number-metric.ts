import { sampleLine, type Metric } from './metric-family.ts';

/** A number that only grows, or (as a gauge) goes up and down. */
export class NumberMetric implements Metric {
  readonly #name: string;
  readonly #labels: string;
  #value = 0;

  constructor(name: string, labels: string) {
    this.#name = name;
    this.#labels = labels;
  }

  get value(): number {
    return this.#value;
  }

  add(amount = 1): void {
    this.#value += amount;
  }

  /** Only for gauges. */
  set(value: number): void {
    this.#value = value;
  }

  write(lines: string[]): void {
    lines.push(sampleLine(this.#name, this.#labels, this.#value));
  }
}
