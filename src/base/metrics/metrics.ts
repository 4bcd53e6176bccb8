import { Histogram } from './histogram.ts';
import {
  headLines,
  labelText,
  MetricFamily,
  sampleLine,
  type Labels,
  type Metric,
  type MetricDescription,
} from './metric-family.ts';
import { NumberMetric } from './number-metric.ts';

/** One value of a metric that is worked out when it is read. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

interface Source {
  write(lines: string[]): void | Promise<void>;
}

/**
 * Numbers that a program keeps about itself, in the text form that Prometheus reads. There is no registry of the process: whoever counts is
 * given one of these.
 */
export class Metrics {
  readonly #sources = new Map<string, Source>();

  counter(description: MetricDescription): MetricFamily<NumberMetric> {
    return this.#family(description, 'counter', (labels) => new NumberMetric(description.name, labels));
  }

  gauge(description: MetricDescription): MetricFamily<NumberMetric> {
    return this.#family(description, 'gauge', (labels) => new NumberMetric(description.name, labels));
  }

  /** `bounds` in ascending order. */
  histogram(description: MetricDescription, bounds: readonly number[]): MetricFamily<Histogram> {
    return this.#family(description, 'histogram', (labels) => new Histogram(description.name, labels, bounds));
  }

  /** A metric that costs nothing until it is read. Where reading fails, it is left out. */
  computed(
    description: MetricDescription,
    type: 'counter' | 'gauge',
    read: () => readonly Sample[] | Promise<readonly Sample[]>,
  ): void {
    this.#add(description.name, {
      async write(lines) {
        const samples = await read();
        if (samples.length > 0) lines.push(...headLines(description, type));
        for (const { labels = {}, value } of samples) {
          lines.push(sampleLine(description.name, labelText(Object.entries(labels)), value));
        }
      },
    });
  }

  /** Everything, as Prometheus reads it. */
  async text(): Promise<string> {
    const parts = await Promise.allSettled(
      Array.from(this.#sources.values(), async (source) => {
        const lines: string[] = [];
        await source.write(lines);
        return lines;
      }),
    );
    const lines = parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
    return `${lines.join('\n')}\n`;
  }

  #family<M extends Metric>(
    description: MetricDescription,
    type: 'counter' | 'gauge' | 'histogram',
    make: (labels: string) => M,
  ): MetricFamily<M> {
    const family = new MetricFamily(description, type, make);
    this.#add(description.name, family);
    return family;
  }

  #add(name: string, source: Source): void {
    if (this.#sources.has(name)) throw new Error(`there is a metric ${name} already`);
    this.#sources.set(name, source);
  }
}
