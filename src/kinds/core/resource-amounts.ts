import { canonicalQuantity, nanosOf } from '../../schema/quantity.ts';

const nanosPerMilli = 1_000_000n;
const nanosPerUnit = 1_000_000_000n;

/** An amount in thousandths, the measure of processor time; what is finer counts as one more. 0 where there is none. */
export function milliUnits(amount: string | undefined): number {
  return amount === undefined ? 0 : roundedUp(amount, nanosPerMilli);
}

/** An amount in whole units, the measure of memory and of things that are counted; what is finer counts as one more. 0 where there is none. */
export function wholeUnits(amount: string | undefined): number {
  return amount === undefined ? 0 : roundedUp(amount, nanosPerUnit);
}

/** The usual text of an amount that nobody has checked yet; nothing for what is no amount. */
export function canonicalAmount(amount: string | undefined): string | undefined {
  return amount === undefined ? undefined : canonicalQuantity(amount);
}

function roundedUp(amount: string, unit: bigint): number {
  const nanos = nanosOf(amount);
  const whole = nanos / unit;
  return Number(nanos > whole * unit ? whole + 1n : whole);
}
