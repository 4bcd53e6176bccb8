import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { Node } from '../../kinds/core/node.ts';
import { serviceUnavailable, unreachable } from '../../kinds/meta/api-error.ts';
import type { Destination, DestinationTls } from './open-socket.ts';

export interface NodeConnectionsOptions {
  /** What the server shows to nodes, as it is now: certificate and key as PEM. */
  readonly identity: () => { readonly certificate: string; readonly key: string };
  /** Who signs the certificates of this cluster, as PEM. */
  readonly authority: () => string;
  /**
   * Who must have signed those of the nodes. When absent, one that this cluster's authority signed must be the node's own, and any other is taken: nodes
   * that join from elsewhere have signed theirs themselves.
   */
  readonly nodeAuthority?: string;
}

/** How the API server reaches the agents of nodes. */
export class NodeConnections {
  readonly #options: NodeConnectionsOptions;

  constructor(options: NodeConnectionsOptions) {
    this.#options = options;
  }

  /** The node's own endpoint. Fails with 503 when it has none. */
  endpointOf(node: Readonly<Node>): Destination {
    const host = addressOf(node);
    const port = endpointPort(node);
    if (!host || !port) throw serviceUnavailable(`no agent answers for node ${node.metadata.name}`);
    return { host, port, owner: 'node', tls: this.#tlsFor(node.metadata.name ?? '') };
  }

  #tlsFor(node: string): DestinationTls {
    const { identity, authority, nodeAuthority } = this.#options;
    const { certificate: cert, key } = identity();
    if (nodeAuthority !== undefined) return { options: { cert, key, ca: nodeAuthority } };
    const checkServerIdentity = (_host: string, certificate: PeerCertificate): Error | undefined =>
      certificate.subject?.CN === `system:node:${node}` ? undefined : new Error(wrongNode);
    const options = { cert, key, ca: authority(), rejectUnauthorized: false, checkServerIdentity };
    return { options, check: (socket) => refuseImpostor(socket, node) };
  }
}

const wrongNode = 'WRONG_NODE';

/** The declared type has an error here, but it is the error's code or message. */
function refuseImpostor({ authorizationError }: TLSSocket, node: string): void {
  if (String(authorizationError) !== wrongNode) return;
  throw unreachable(`what answers in place of node ${node} shows the certificate of somebody else in this cluster`);
}

const addressTypes = ['InternalIP', 'ExternalIP', 'LegacyHostIP', 'Hostname'];

/** The address under which a node is reached; undefined when it has none. */
export function addressOf({ status }: Readonly<Node>): string | undefined {
  const addresses = status?.addresses ?? [];
  return addressTypes.map((type) => addresses.find((each) => each.type === type)?.address).find(Boolean);
}

/** The port of the node's agent; undefined, or 0, when it has none. */
export function endpointPort({ status }: Readonly<Node>): number | undefined {
  return status?.daemonEndpoints?.kubeletEndpoint?.Port;
}
