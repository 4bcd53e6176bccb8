import type { UsageFigures } from '../../kinds/metrics/usage-amounts.ts';

/** Usage of something, and the span of time that it was measured over. */
export interface MeasuredUsage extends UsageFigures {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly windowMs: number;
}

export interface ContainerUsage extends MeasuredUsage {
  readonly name: string;
}

/** How much a node and its pods use, as the node says. What it has not measured yet is missing. */
export interface NodeSummary {
  readonly node?: MeasuredUsage;
  /** By uid. */
  readonly pods: ReadonlyMap<string, readonly ContainerUsage[]>;
}

/** The span of agents that do not say theirs. */
const usualWindowMs = 10_000;

/** Reads what a node answers at `/stats/summary`. The node may be anybody's: whatever is not as it should be counts as not measured. */
export function readSummary(body: unknown): NodeSummary {
  const { node, pods } = record(body);
  const byUid = new Map<string, readonly ContainerUsage[]>();
  for (const pod of items(pods)) {
    const { podRef, containers } = record(pod);
    const { uid } = record(podRef);
    if (typeof uid !== 'string') continue;
    byUid.set(uid, items(containers).flatMap(readContainer));
  }
  return { node: readUsage(node), pods: byUid };
}

function readContainer(container: unknown): ContainerUsage[] {
  const { name } = record(container);
  const usage = readUsage(container);
  return typeof name === 'string' && usage ? [{ name, ...usage }] : [];
}

function readUsage(figures: unknown): MeasuredUsage | undefined {
  const { cpu, memory } = record(figures);
  const { time, usageNanoCores, windowSeconds } = record(cpu);
  const { workingSetBytes } = record(memory);
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (!isAmount(usageNanoCores) || !isAmount(workingSetBytes) || Number.isNaN(at)) return undefined;
  const windowMs = isAmount(windowSeconds) ? windowSeconds * 1000 : usualWindowMs;
  return { at, windowMs, cpuNanos: usageNanoCores, memoryBytes: workingSetBytes };
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
