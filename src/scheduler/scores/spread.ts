import type { OfferingNode } from '../node-state.ts';
import { best, type Score } from './score.ts';

/** How much the zone counts beside the node, where nodes have one. */
const zoneShare = 2 / 3;

/** Prefers nodes, and zones, with fewer pods of the same controller or service, so that the loss of one is the loss of few. */
export const spread: Score = {
  name: 'spread',
  weight: 1,
  rateFor(pod, nodes, { spreading }) {
    const countOn = spreading.counterFor(pod);
    if (!countOn) return undefined;
    const counts = Uint32Array.from(nodes, countOn);
    const most = largest(counts);
    if (most === 0) return undefined;
    const zones = zoneSums(nodes, counts);
    const mostInZone = largest(zones.values());
    return ({ offer }, index) => {
      const byNode = (best * (most - counts[index]!)) / most;
      const inZone = offer.zone === '' ? undefined : zones.get(offer.zone);
      if (inZone === undefined || mostInZone === 0) return byNode;
      return byNode * (1 - zoneShare) + ((best * (mostInZone - inZone)) / mostInZone) * zoneShare;
    };
  },
};

function zoneSums(nodes: readonly OfferingNode[], counts: Uint32Array): Map<string, number> {
  const sums = new Map<string, number>();
  nodes.forEach(({ offer: { zone } }, i) => {
    if (zone !== '') sums.set(zone, (sums.get(zone) ?? 0) + counts[i]!);
  });
  return sums;
}

function largest(numbers: Iterable<number>): number {
  let most = 0;
  for (const number of numbers) most = Math.max(most, number);
  return most;
}
