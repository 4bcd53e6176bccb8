import type { ItemKey } from './strategic-item-key.ts';

export interface WantedOrder {
  /** Keys in the order that the sender wants. */
  readonly wanted: readonly ItemKey[];
  /** The list as it was: places the items that the sender does not know of. */
  readonly before: readonly unknown[];
  readonly keyOf: (item: unknown) => ItemKey | undefined;
}

/**
 * Puts items in the wanted order. Items that the sender did not name keep their order, and stand before the named item that
 * they stood before; new items go behind them.
 */
export function orderLike(items: readonly unknown[], { wanted, before, keyOf }: WantedOrder): unknown[] {
  const rank = new Map<ItemKey | undefined, number>(wanted.map((key, i) => [key, i]));
  const oldRank = new Map<ItemKey | undefined, number>();
  before.forEach((item, i) => oldRank.set(keyOf(item), i));
  const rankOf = (item: unknown): number => rank.get(keyOf(item)) ?? -1;

  const named = items.filter((item) => rankOf(item) >= 0).sort((a, b) => rankOf(a) - rankOf(b));
  const others = items.filter((item) => rankOf(item) < 0);
  const oldPlace = (item: unknown): number | undefined => oldRank.get(keyOf(item));
  const stoodBefore = (item: unknown, other: unknown): boolean =>
    (oldPlace(item) ?? Infinity) < (oldPlace(other) ?? -1);

  const ordered: unknown[] = [];
  let next = 0;
  for (const item of named) {
    while (next < others.length && !stoodBefore(item, others[next])) ordered.push(others[next++]);
    ordered.push(item);
  }
  return [...ordered, ...others.slice(next)];
}
