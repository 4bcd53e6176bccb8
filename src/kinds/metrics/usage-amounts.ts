import { formatQuantity, nanosOf } from '../../schema/quantity.ts';

/** How much something uses at this moment. */
export interface UsageFigures {
  /** Processor time, in billionths of a processor. */
  readonly cpuNanos: number;
  readonly memoryBytes: number;
}

/** As metrics objects write it: processor time as exact as it is known, memory in Ki. */
export function usageAmounts({ cpuNanos, memoryBytes }: UsageFigures): Record<string, string> {
  const kibibytes = BigInt(Math.ceil(memoryBytes / 1024));
  return {
    cpu: formatQuantity({ nanos: BigInt(Math.round(cpuNanos)), family: 'decimal' }),
    memory: kibibytes === 0n ? '0' : `${kibibytes}Ki`,
  };
}

/** The sum of processor times, in thousandths, as exact as it is known. */
export function cpuMillis(amounts: readonly string[]): number {
  return Number(sum(amounts)) / 1e6;
}

/** The same as text, rounded up. */
export function cpuText(amounts: readonly string[]): string {
  const millis = (sum(amounts) + 999_999n) / 1_000_000n;
  return `${millis}m`;
}

/** The sum of amounts of memory, in Ki. */
export function memoryText(amounts: readonly string[]): string {
  return `${sum(amounts) / (1024n * 1_000_000_000n)}Ki`;
}

function sum(amounts: readonly string[]): bigint {
  return amounts.reduce((total, amount) => total + nanosOf(amount), 0n);
}

/** A span of time in whole seconds, as metrics objects write it. */
export function windowText(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))}s`;
}
