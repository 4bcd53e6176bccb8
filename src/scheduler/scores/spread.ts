import type { OfferingNode } from '../node-state.ts';
import { best, type Score } from './score.ts';

/** How much more the zone counts than the node, where nodes have one. */
const zoneWeight = 2;

/** Prefers nodes, and zones, with fewer pods of the same controller or service, so that the loss of one is the loss of few. */
export const spread: Score = {
  name: 'spread',
  weight: 1,
  rateFor(pod, nodes, { spreading }) {
    const countOn = spreading.counterFor(pod);
    if (!countOn) return undefined;
    const counts = countAll(nodes, countOn);
    const most = largest(counts);
    if (most === 0) return undefined;
    const zones = zoneSums(nodes, counts);
    const mostInZone = largest(zones.values());
    return ({ offer }, index) => {
      const byNode = (best * (most - counts[index]!)) / most;
      const inZone = offer.zone === '' ? undefined : zones.get(offer.zone);
      if (inZone === undefined || mostInZone === 0) return Math.floor(byNode);
      const byZone = (best * (mostInZone - inZone)) / mostInZone;
      return Math.floor((byNode + zoneWeight * byZone) / (1 + zoneWeight));
    };
  },
};

/** A plain loop: this runs for every node and pod, and an iterator would take most of the time. */
function countAll(nodes: readonly OfferingNode[], countOn: (node: OfferingNode) => number): Uint32Array {
  const counts = new Uint32Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) counts[i] = countOn(nodes[i]!);
  return counts;
}

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
