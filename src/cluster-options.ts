import type { Clock } from './base/clock.ts';
import type { Ids } from './base/ids.ts';
import type { Logger } from './base/logger.ts';
import type { AutoscalingTimes } from './controllers/autoscaling/autoscaling-times.ts';
import type { AuditLevel } from './server/audit/audit-trail.ts';
import type { HistoryBounds } from './storage/storage.ts';

/** Where a cluster keeps its objects and its certificates: in memory only, in a directory of its own, or the objects in etcd. */
export type StorageChoice =
  { readonly make: 'memory' } | { readonly make: 'lmdb'; readonly directory: string } | EtcdChoice;

/** Objects in an etcd that other servers of the same cluster use, too. They need the same authority and the same keys for tokens. */
export interface EtcdChoice {
  readonly make: 'etcd';
  /** URLs of its members, `http:` or `https:`. */
  readonly servers: readonly string[];
  /** Stands before every key, so that several clusters can share an etcd; `/registry`, with which every key begins anyway, adds nothing. */
  readonly prefix?: string;
  /** Files (PEM): who must have signed the certificates of etcd, and the certificate and key to show to it. */
  readonly authorityFile?: string;
  readonly certificateFile?: string;
  readonly keyFile?: string;
  /** For all that does not belong to the objects: certificates, keys, what nodes of this process write. */
  readonly directory: string;
}

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Where it is written down who did what. */
export interface AuditOptions {
  readonly path: string;
  /** Metadata when absent. */
  readonly level?: AuditLevel;
  /** When the file would grow beyond this, it is put aside and a new one begun; 100 MiB when absent. */
  readonly maxBytes?: number;
  /** How many files put aside are kept; 0 for all, 10 when absent. */
  readonly maxBackups?: number;
}

/** Nodes that a cluster has from the start. */
export interface NodesChoice {
  /** With real processes this machine is one node, whatever the number. */
  readonly count: number;
  /** What runs their pods: processes of this machine, or nothing at all, which only looks as if. */
  readonly runtime: 'process' | 'simulated';
  /** A file that says what images stand for, where pods are processes. */
  readonly imageMap?: string;
  /** How pods that are processes get addresses of their own; on the loopback network when absent. */
  readonly podNetwork?: PodNetworkChoice;
}

/**
 * Pods have addresses of the machine's loopback network, or networks of their own (`veth`, which needs root); `auto` is the latter where that works. With a
 * choice, services get addresses that such pods reach, and the data directory remembers the range.
 */
export type PodNetworkChoice = 'auto' | 'veth' | 'loopback';

/** What a cluster is started with. Everything may be left out: the result is then a cluster in memory on a free port of the loopback address. */
export interface ClusterOptions {
  readonly storage?: StorageChoice;
  /** How much of the past is kept for watches and for reads of older revisions. */
  readonly history?: Partial<HistoryBounds>;
  /** The address that the TLS port listens on; 127.0.0.1 when absent. */
  readonly bindAddress?: string;
  /** The TLS port; 0 or absent picks a free one. */
  readonly securePort?: number;
  /** Plain HTTP without authentication, on the loopback address only; 0 picks a free port, absent leaves it off. */
  readonly insecurePort?: number;
  /** Lines of `token,user,uid,"group1,group2"`: who may come in with a bearer token. */
  readonly tokenAuthFile?: string;
  /** Whether requests without credentials are taken, as those of `system:anonymous`; they are when absent. */
  readonly anonymousAuth?: boolean;
  /** Names of authorization modes: allowed is what one of them allows. Node and RBAC when absent. */
  readonly authorizationMode?: readonly string[];
  /** Lines of JSON for the mode ABAC. */
  readonly authorizationPolicyFile?: string;
  /** A private key (PEM) that the tokens of service accounts are signed with; other keys in the file only check. One is made when absent. */
  readonly serviceAccountKeyFile?: string;
  /** Who signs the tokens of service accounts, as they name it, and whom they are for. */
  readonly serviceAccountIssuer?: string;
  /** A file with the authority (PEM) that must have signed the certificates of nodes; any certificate is taken when absent. */
  readonly kubeletCertificateAuthority?: string;
  /** Names of admission plugins, in the order in which they run; absent for the usual ones. */
  readonly admissionControl?: readonly string[];
  /** Requests served at once before others are told to come back (429); watches and connections do not count. 0 for no bound. */
  readonly maxRequestsInflight?: number;
  /** IPv4 network from which services get their addresses; `10.0.0.0/16` when absent, unless the nodes have a choice of networks. */
  readonly serviceClusterIpRange?: string;
  readonly serviceNodePortRange?: PortRange;
  /** Whether controllers and scheduler run in this process; off when absent. */
  readonly controllers?: boolean;
  /** How often autoscalers look at usage, and how long they wait after a change, where they run in this process. */
  readonly autoscaling?: Partial<AutoscalingTimes>;
  /** Nodes in this process; none when absent. */
  readonly nodes?: NodesChoice;
  /** No audit log is written when absent. */
  readonly audit?: AuditOptions;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** An option has a value that no cluster can be started with. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
}

/** How the administrator of a cluster reaches it: what a kubeconfig file holds. Certificates and key are PEM. */
export interface AdminAccess {
  readonly server: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** A cluster that serves. */
export interface Cluster {
  readonly secureUrl: string;
  readonly insecureUrl?: string;
  readonly admin: AdminAccess;
  /** Ends every connection, timer and file; answered writes are on disk before. */
  close(): Promise<void>;
}
