import type { Node } from './node.ts';

/** A label of every simulated node. */
export const simulatedLabel = 'simulated.wherry.dev/node';

/** Whether a node runs nothing: what its pods use is what their annotations say. */
export function isSimulated({ metadata }: Readonly<Node>): boolean {
  return metadata.labels?.[simulatedLabel] === 'true';
}
