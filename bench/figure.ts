/** One line of the result. */
export interface Figure {
  readonly row: string;
  readonly what: string;
  readonly unit: 'requests/s' | 'events/s' | 'pods/s' | 'ms' | 'MB' | 'times';
  readonly wherry: number;
  readonly floor?: number;
  /** The first divided by the second. */
  readonly ratio?: number;
  /** The floor's processor time for one answer divided by ours: what the ratio would be if nothing else were slow. */
  readonly cpuRatio?: number;
  /** What the project wants to reach. */
  readonly goal?: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
