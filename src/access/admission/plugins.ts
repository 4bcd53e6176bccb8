import { systemClock, type Clock } from '../../base/clock.ts';
import type { Admission, AdmissionPlugin } from '../../registry/admission.ts';
import type { Storage } from '../../storage/storage.ts';
import { alwaysAdmit } from './always-admit.ts';
import { alwaysDeny } from './always-deny.ts';
import { alwaysPullImages } from './always-pull-images.ts';
import { limitRanger } from './limit-ranger.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { resourceQuota } from './resource-quota.ts';
import { securityContextDeny } from './security-context-deny.ts';
import { serviceAccount } from './service-account.ts';

/** What plugins are made from. */
export interface PluginParts {
  readonly storage: Storage;
  /** The machine's own when absent. */
  readonly clock?: Clock;
  /** Whether a controller gives service accounts their tokens. */
  readonly expectsTokens?: boolean;
}

const factories: Readonly<Record<string, (parts: PluginParts) => AdmissionPlugin>> = {
  AlwaysAdmit: alwaysAdmit,
  AlwaysDeny: alwaysDeny,
  AlwaysPullImages: alwaysPullImages,
  LimitRanger: ({ storage }) => limitRanger(storage),
  NamespaceLifecycle: ({ storage }) => namespaceLifecycle(storage),
  ResourceQuota: ({ storage }) => resourceQuota(storage),
  SecurityContextDeny: securityContextDeny,
  ServiceAccount: ({ storage, clock = systemClock, expectsTokens = false }) =>
    serviceAccount({ storage, clock, expectsTokens }),
};

/** Names for `--admission-control`. */
export const admissionPluginNames: readonly string[] = Object.keys(factories);

/** For a server on its own. */
export const defaultAdmission: readonly string[] = ['NamespaceLifecycle', 'LimitRanger', 'ResourceQuota'];

/** For a cluster in which a controller makes the account `default` of every namespace. */
export const admissionWithAccounts: readonly string[] = [
  'NamespaceLifecycle',
  'LimitRanger',
  'ServiceAccount',
  'ResourceQuota',
];

/** An unknown name is an error that lists the known ones. */
export function checkPluginNames(names: readonly string[]): void {
  const unknown = names.find((name) => !admissionPluginNames.includes(name));
  if (unknown === undefined) return;
  throw new RangeError(`there is no admission plugin "${unknown}"; known are ${admissionPluginNames.join(', ')}`);
}

/** The chain in the order of the names. */
export function admissionChain(names: readonly string[], parts: PluginParts): Admission {
  checkPluginNames(names);
  return names.map((name) => factories[name]!(parts));
}
