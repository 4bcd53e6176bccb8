import { formatQuantity, parseQuantity, type Quantity } from '../../../schema/quantity.ts';

/** Amounts by the name of the resource. */
export type Amounts = ReadonlyMap<string, Quantity>;

export const none: Amounts = new Map();
export const one: Quantity = { nanos: 1_000_000_000n, family: 'decimal' };

/** Amounts as an object's field holds them; those that cannot be read are left out. */
export function readAmounts(texts: Readonly<Record<string, string>> = {}): Amounts {
  const amounts = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(texts)) {
    const amount = parseQuantity(text);
    if (amount) amounts.set(name, amount);
  }
  return amounts;
}

/** Amounts in the form that an object's field holds. */
export function writeAmounts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
}

/** As the reference adds: the sum is written like the first amount that is not zero. */
export function add(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, family: a.nanos === 0n ? b.family : a.family };
}

function negate({ nanos, family }: Quantity): Quantity {
  return { nanos: -nanos, family };
}

/** Adds name by name; what only one side has counts as it is. */
export function addAll(a: Amounts, b: Amounts): Amounts {
  const sums = new Map(a);
  for (const [name, amount] of b) {
    const other = sums.get(name);
    sums.set(name, other ? add(other, amount) : amount);
  }
  return sums;
}

export function negateAll(amounts: Amounts): Amounts {
  return new Map([...amounts].map(([name, amount]) => [name, negate(amount)]));
}

/** For messages: `cpu 500m, memory 1Gi`. */
export function describeAmounts(amounts: Amounts): string {
  return [...amounts].map(([name, amount]) => `${name} ${formatQuantity(amount)}`).join(', ');
}
