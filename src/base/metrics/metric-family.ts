/** What a metric is called, what it means and by what it is told apart. */
export interface MetricDescription {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export type MetricType = 'counter' | 'gauge' | 'histogram';

export type Labels = Readonly<Record<string, string>>;

/** One metric for certain values of its labels. */
export interface Metric {
  /** Adds its lines. */
  write(lines: string[]): void;
}

/** All metrics of one name. What is asked for again is the same one, so that hot paths ask once and keep it. */
export class MetricFamily<M extends Metric> {
  readonly description: MetricDescription;
  readonly type: MetricType;
  readonly #make: (labelText: string) => M;
  readonly #metrics = new Map<string, M>();

  constructor(description: MetricDescription, type: MetricType, make: (labelText: string) => M) {
    this.description = description;
    this.type = type;
    this.#make = make;
  }

  /** Labels that are not given are empty. */
  with(labels: Labels = {}): M {
    const text = labelText((this.description.labels ?? []).map((name) => [name, labels[name] ?? '']));
    let metric = this.#metrics.get(text);
    if (!metric) this.#metrics.set(text, (metric = this.#make(text)));
    return metric;
  }

  write(lines: string[]): void {
    if (this.#metrics.size === 0) return;
    lines.push(...headLines(this.description, this.type));
    for (const metric of this.#metrics.values()) metric.write(lines);
  }
}

/** What stands before the values of a metric. */
export function headLines({ name, help }: MetricDescription, type: MetricType): string[] {
  return [`# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`, `# TYPE ${name} ${type}`];
}

/** Labels without the braces around them: `verb="GET",code="200"`. */
export function labelText(labels: Iterable<readonly [name: string, value: string]>): string {
  return Array.from(labels, ([name, value]) => `${name}="${escapeValue(value)}"`).join(',');
}

function escapeValue(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}

/** One line of the text form. */
export function sampleLine(name: string, labels: string, value: number): string {
  return labels ? `${name}{${labels}} ${numberText(value)}` : `${name} ${numberText(value)}`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
