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
    const most = nodes.reduce((most, node) => Math.max(most, countOn(node)), 0);
    if (most === 0) return undefined;
    const zones = zoneSums(nodes, countOn);
    const mostInZone = Math.max(0, ...zones.values());
    return (node) => {
      const byNode = (best * (most - countOn(node))) / most;
      const inZone = zones.get(node.offer.zone);
      if (inZone === undefined || mostInZone === 0) return byNode;
      return byNode * (1 - zoneShare) + ((best * (mostInZone - inZone)) / mostInZone) * zoneShare;
    };
  },
};

function zoneSums(nodes: readonly OfferingNode[], countOn: (node: OfferingNode) => number): Map<string, number> {
  const sums = new Map<string, number>();
  for (const node of nodes) {
    const { zone } = node.offer;
    if (zone !== '') sums.set(zone, (sums.get(zone) ?? 0) + countOn(node));
  }
  return sums;
}
