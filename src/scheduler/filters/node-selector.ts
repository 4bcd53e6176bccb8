import type { Filter } from './filter.ts';

/** A pod goes only to nodes with the labels that it asks for. */
export const nodeSelector: Filter = {
  name: 'node-selector',
  concerns: (pod) => pod.nodeSelector.length > 0,
  refusal({ nodeSelector }, { offer: { labels } }) {
    for (const [label, value] of nodeSelector) {
      if (!Object.hasOwn(labels, label) || labels[label] !== value) return 'not matching the node selector';
    }
    return undefined;
  },
};
