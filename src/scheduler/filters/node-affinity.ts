import { choosesNode } from '../node-term.ts';
import type { Filter } from './filter.ts';

/** A pod goes only to nodes that its affinity requires: those that one of its terms chooses. */
export const nodeAffinity: Filter = {
  name: 'node-affinity',
  concerns: ({ nodeAffinity }) => nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined,
  refusal({ nodeAffinity }, { offer: { labels } }) {
    const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
    return terms.some((term) => choosesNode(term, labels)) ? undefined : 'not matching the node affinity';
  },
};
