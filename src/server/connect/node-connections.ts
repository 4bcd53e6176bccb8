import { X509Certificate } from 'node:crypto';
import {
  checkServerIdentity as checkHost,
  type DetailedPeerCertificate,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls';
import type { Node } from '../../kinds/core/node.ts';
import { serviceUnavailable } from '../../kinds/meta/api-error.ts';
import type { Destination, DestinationTls } from './open-socket.ts';

export interface NodeConnectionsOptions {
  /** What the server shows to nodes, as it is now: certificate and key as PEM. */
  readonly identity: () => { readonly certificate: string; readonly key: string };
  /** Who signs the certificates of this cluster, as PEM. */
  readonly authority: () => string;
  /**
   * Who else may have signed those of nodes, as PEM. When absent, any certificate will do that this cluster's authority has not signed for somebody else:
   * nodes that join from elsewhere have signed theirs themselves.
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
    const { identity, authority: clusterAuthority, nodeAuthority } = this.#options;
    const { certificate: cert, key } = identity();
    const authority = clusterAuthority();
    const isOfCluster = isSignedBy(authority);
    const checkServerIdentity = (host: string, certificate: PeerCertificate): Error | undefined => {
      if (!isOfCluster(certificate)) return checkHost(host, certificate);
      return certificate.subject?.CN === `system:node:${node}` ? undefined : new Error(somebodyElse);
    };
    const options = { cert, key, checkServerIdentity };
    if (nodeAuthority !== undefined) return { options: { ...options, ca: [authority, nodeAuthority] } };
    return { options: { ...options, ca: authority, rejectUnauthorized: false }, check: refuseImpostor };
  }
}

const somebodyElse = 'it shows the certificate of somebody else in this cluster';

function isSignedBy(authority: string): (certificate: PeerCertificate) => boolean {
  const { fingerprint256 } = new X509Certificate(authority);
  return (certificate) => (certificate as DetailedPeerCertificate).issuerCertificate?.fingerprint256 === fingerprint256;
}

/** The declared type has an error here, but it is the error's code or message. */
function refuseImpostor({ authorizationError }: TLSSocket): void {
  if (String(authorizationError) === somebodyElse) throw new Error(somebodyElse);
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
