import type { Filter } from './filter.ts';

/** What pods on a node ask for stays within what the node has for them. Pods that ask for nothing always fit. */
export const resources: Filter = {
  name: 'resources',
  concerns: ({ cpu, memory }) => cpu > 0 || memory > 0,
  refusal(pod, node) {
    if (pod.cpu > 0 && node.cpu + pod.cpu > node.offer.cpu) return 'with insufficient cpu';
    if (pod.memory > 0 && node.memory + pod.memory > node.offer.memory) return 'with insufficient memory';
    return undefined;
  },
};
