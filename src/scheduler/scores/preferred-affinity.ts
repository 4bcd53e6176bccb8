import { choosesNode } from '../node-term.ts';
import type { OfferingNode } from '../node-state.ts';
import { best, type Score } from './score.ts';

/** Prefers nodes as the pod's own preferences weigh them. */
export const preferredAffinity: Score = {
  name: 'preferred-affinity',
  weight: 1,
  rateFor({ nodeAffinity }, nodes) {
    const preferences = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (preferences.length === 0) return undefined;
    const sums = new Map<OfferingNode, number>();
    for (const node of nodes) {
      const chosen = preferences.filter(({ preference }) => choosesNode(preference, node.offer.labels));
      sums.set(node, chosen.reduce((sum, { weight }) => sum + weight, 0)); // prettier-ignore
    }
    const most = Math.max(0, ...sums.values());
    return most === 0 ? undefined : (node) => Math.floor((best * (sums.get(node) ?? 0)) / most);
  },
};
