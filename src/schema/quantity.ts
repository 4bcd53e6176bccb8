/**
 * Amounts of resources: a decimal number with a suffix, e.g. `250m`, `1.5Gi`, `12e6`.
 * The value is exact: an integer number of nano-units. Suffix family survives, as in the reference.
 */
export interface Quantity {
  /** The value times 10^9. */
  readonly nanos: bigint;
  readonly family: 'binary' | 'decimal' | 'exponent';
}

const nano = 1_000_000_000n;
const milli = 1_000_000n;
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const decimalByExponent = new Map(Object.entries(decimalSuffixes).map(([suffix, power]) => [power, suffix]));
const shape = /^ *([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d{1,3})? *$/;
// The reference's bound: larger amounts are capped rather than refused.
const largest = (2n ** 63n - 1n) * nano;

// Computing with millions of digits would hold up everything else.
const longestText = 200;

/** What one of the usual units is in nanos. */
const usualUnits: ReadonlyMap<string, bigint> = new Map([
  ['', nano],
  ['m', milli],
  ['k', 1000n * nano],
  ['M', 1000n ** 2n * nano],
  ['G', 1000n ** 3n * nano],
  ['Ki', 1024n * nano],
  ['Mi', 1024n ** 2n * nano],
  ['Gi', 1024n ** 3n * nano],
]);

/** Whole numbers with a usual suffix, which is what nearly all amounts are; nothing for all others. */
function parseUsual(text: string): Quantity | undefined {
  let digits = 0;
  while (digits < 9 && isDigit(text.charCodeAt(digits))) digits++;
  const suffix = text.slice(digits);
  const unit = digits === 0 ? undefined : usualUnits.get(suffix);
  if (unit === undefined) return undefined;
  return { nanos: BigInt(Number(text.slice(0, digits))) * unit, family: familyOf(suffix) };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Few amounts are written in a cluster, and those again and again. */
const known = new Map<string, Quantity>();
const mostKnown = 1000;

/** Gives nothing for what is no amount. */
export function parseQuantity(text: string): Quantity | undefined {
  const before = known.get(text);
  if (before) return before;
  const quantity = parseUsual(text) ?? parseAny(text);
  if (known.size >= mostKnown) known.clear();
  if (quantity) known.set(text, quantity);
  return quantity;
}

function parseAny(text: string): Quantity | undefined {
  const match = text.length > longestText ? null : shape.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(whole + fraction || '0');
  const magnitude = scale(digits, fraction.length, suffix);
  const capped = magnitude > largest ? largest : magnitude;
  return { nanos: sign === '-' ? -capped : capped, family: familyOf(suffix) };
}

function familyOf(suffix: string): Quantity['family'] {
  if (suffix.endsWith('i')) return 'binary';
  return suffix.length > 1 ? 'exponent' : 'decimal';
}

/** digits × 10^-decimals × suffix, in nanos, rounded up: what is asked for is never made smaller. */
function scale(digits: bigint, decimals: number, suffix: string): bigint {
  const binary = suffix === '' ? 0 : binarySuffixes.indexOf(suffix);
  if (binary > 0) return ceilDivide(digits * 1024n ** BigInt(binary) * nano, 10n ** BigInt(decimals));
  const power = decimalSuffixes[suffix] ?? Number(suffix.slice(1));
  const exponent = power + 9 - decimals;
  return exponent >= 0 ? digits * 10n ** BigInt(exponent) : ceilDivide(digits, 10n ** BigInt(-exponent));
}

function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

/** The canonical text: no fraction, the largest suffix of its family that leaves an integer. */
export function formatQuantity(quantity: Quantity): string {
  const negative = quantity.nanos < 0n;
  const magnitude = negative ? -quantity.nanos : quantity.nanos;
  const text = magnitude === 0n ? '0' : formatMagnitude(magnitude, quantity.family);
  return negative ? `-${text}` : text;
}

function formatMagnitude(nanos: bigint, family: Quantity['family']): string {
  // Binary suffixes are for whole amounts of at least one Ki; the rest is written in decimals.
  if (family === 'binary' && nanos % nano === 0n && nanos >= 1024n * nano) {
    let amount = nanos / nano;
    let index = 0;
    while (amount % 1024n === 0n && index < binarySuffixes.length - 1) {
      amount /= 1024n;
      index++;
    }
    return `${amount}${binarySuffixes[index]}`;
  }
  let amount = nanos;
  let exponent = -9;
  while (amount % 1000n === 0n && exponent < 18) {
    amount /= 1000n;
    exponent += 3;
  }
  if (family === 'exponent') return exponent === 0 ? `${amount}` : `${amount}e${exponent}`;
  return `${amount}${decimalByExponent.get(exponent)}`;
}

const canonicalInteger = /^[1-9]\d{0,2}(?:Ki|Mi|Gi|[mkMG])?$/;

/** Canonical text of an amount, or nothing for what is no amount. */
export function canonicalQuantity(text: string): string | undefined {
  // By far the most common amounts are canonical already.
  if (canonicalInteger.test(text)) return text;
  const quantity = parseQuantity(text);
  return quantity && formatQuantity(roundedToMillis(quantity));
}

/** The reference keeps no amount finer than a thousandth; what is finer is made larger, away from zero. */
function roundedToMillis(quantity: Quantity): Quantity {
  const magnitude = quantity.nanos < 0n ? -quantity.nanos : quantity.nanos;
  const rounded = ceilDivide(magnitude, milli) * milli;
  return { nanos: quantity.nanos < 0n ? -rounded : rounded, family: quantity.family };
}

/** The exact value of an amount that was decoded already, times 10^9. */
export function nanosOf(amount: string): bigint {
  return parseQuantity(amount)?.nanos ?? 0n;
}
