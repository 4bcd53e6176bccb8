import { defaultAuthorization } from '../access/authz/mode-names.ts';
import { systemClock } from '../base/clock.ts';
import { randomIds } from '../base/ids.ts';
import { silentLogger } from '../base/logger.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { defaultHistoryBounds, type HistoryBounds } from '../storage/storage.ts';
import { loopback } from './own-addresses.ts';

/** Options that mean something when they are absent. */
type Optional =
  | 'insecurePort'
  | 'tokenAuthFile'
  | 'authorizationPolicyFile'
  | 'serviceAccountKeyFile'
  | 'kubeletCertificateAuthority'
  | 'admissionControl'
  | 'serviceClusterIpRange'
  | 'audit';

/** What a cluster is started with, defaults filled in. */
export type Settings = Required<Omit<ClusterOptions, Optional | 'history'>> &
  Pick<ClusterOptions, Optional> & { readonly history: HistoryBounds };

/** Settings with what was decided about the network. */
export interface OpenSettings extends Settings {
  readonly serviceClusterIpRange: string;
}

export function settingsFrom(options: ClusterOptions): Settings {
  return {
    storage: options.storage ?? { make: 'memory' },
    history: { ...defaultHistoryBounds, ...options.history },
    bindAddress: options.bindAddress ?? loopback,
    securePort: options.securePort ?? 0,
    insecurePort: options.insecurePort,
    tokenAuthFile: options.tokenAuthFile,
    anonymousAuth: options.anonymousAuth ?? true,
    authorizationMode: options.authorizationMode ?? defaultAuthorization,
    authorizationPolicyFile: options.authorizationPolicyFile,
    serviceAccountKeyFile: options.serviceAccountKeyFile,
    kubeletCertificateAuthority: options.kubeletCertificateAuthority,
    serviceAccountIssuer: options.serviceAccountIssuer ?? 'https://kubernetes.default.svc',
    admissionControl: options.admissionControl,
    maxRequestsInflight: options.maxRequestsInflight ?? 400,
    serviceClusterIpRange: options.serviceClusterIpRange,
    serviceNodePortRange: options.serviceNodePortRange ?? { first: 30_000, last: 32_767 },
    controllers: options.controllers ?? false,
    autoscaling: options.autoscaling ?? {},
    nodes: options.nodes ?? { count: 0, runtime: 'simulated' },
    audit: options.audit,
    logger: options.logger ?? silentLogger,
    clock: options.clock ?? systemClock,
    ids: options.ids ?? randomIds,
  };
}
