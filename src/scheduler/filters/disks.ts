import type { Filter } from './filter.ts';

/** Disks that can be attached for one user are not used by two pods on a node. */
export const disks: Filter = {
  name: 'disks',
  concerns: (pod) => pod.disks.length > 0,
  refusal: (pod, node) => (pod.disks.some((disk) => node.disks.isClosed(disk)) ? 'with the disk in use' : undefined),
};
