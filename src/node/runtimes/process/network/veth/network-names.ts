import { createHash } from 'node:crypto';

/** What the parts of a node's network are called on the machine. They follow from the node's directory, so that nodes never meet and each finds its own again. */
export interface NetworkNames {
  readonly bridge: string;
  /** Marks routes of this node. */
  readonly routeMetric: number;
  /** Names a table of packet rules. */
  readonly table: string;
  readonly namespacePrefix: string;
  readonly linkPrefix: string;
  /** The namespace of the pod at this position of the node's block. */
  readonly namespaceOf: (position: number) => string;
  /** The host's end of that pod's link. */
  readonly linkOf: (position: number) => string;
}

/** Where `ip netns` keeps namespaces. */
export const namespaceDirectory = '/var/run/netns';

/** The kernel allows names of links 15 characters. */
export function networkNames(owner: string): NetworkNames {
  const hash = createHash('sha256').update(owner).digest('hex');
  const namespacePrefix = `wherry-${hash.slice(0, 10)}-`;
  const linkPrefix = `wh${hash.slice(0, 8)}-`;
  return {
    bridge: `wh-${hash.slice(0, 10)}`,
    routeMetric: 1 + Number.parseInt(hash.slice(0, 7), 16),
    table: `wherry-${hash.slice(0, 10)}`,
    namespacePrefix,
    linkPrefix,
    namespaceOf: (position) => `${namespacePrefix}${position}`,
    linkOf: (position) => `${linkPrefix}${position.toString(16)}`,
  };
}
