import { sampleLine, type Metric } from './metric-family.ts';

/** How often values were at most as large as each of some bounds, and what they add up to. */
export class Histogram implements Metric {
  readonly #name: string;
  readonly #labels: string;
  readonly #bounds: readonly number[];
  /** For each bound the values that lie between it and the one before; last those above all. */
  readonly #counts: number[];
  #sum = 0;

  constructor(name: string, labels: string, bounds: readonly number[]) {
    this.#name = name;
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.#bounds.length && value > this.#bounds[at]!) at++;
    this.#counts[at]!++;
    this.#sum += value;
  }

  write(lines: string[]): void {
    const prefix = this.#labels && `${this.#labels},`;
    let total = 0;
    this.#counts.forEach((count, at) => {
      total += count;
      const bound = this.#bounds[at] ?? '+Inf';
      lines.push(sampleLine(`${this.#name}_bucket`, `${prefix}le="${bound}"`, total));
    });
    lines.push(sampleLine(`${this.#name}_sum`, this.#labels, this.#sum));
    lines.push(sampleLine(`${this.#name}_count`, this.#labels, total));
  }
}
