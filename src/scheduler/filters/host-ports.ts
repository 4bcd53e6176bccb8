import type { Filter } from './filter.ts';

/** Two pods on a node cannot have the same port of it. */
export const hostPorts: Filter = {
  name: 'host-ports',
  concerns: (pod) => pod.hostPorts.length > 0,
  refusal: ({ hostPorts }, { ports }) =>
    hostPorts.some((port) => ports.isTaken(port)) ? 'with the host port taken' : undefined,
};
