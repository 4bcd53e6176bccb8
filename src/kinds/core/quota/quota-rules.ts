import type { Kind } from '../../kind.ts';
import { configMap } from '../config-map.ts';
import { persistentVolumeClaim } from '../persistent-volume-claim.ts';
import { pod } from '../pod.ts';
import { replicationController } from '../replication-controller.ts';
import { resourceQuota } from '../resource-quota.ts';
import { secret } from '../secret.ts';
import { service } from '../service.ts';
import { one } from './amounts.ts';
import { podQuotaRule } from './pod-quota-rule.ts';
import type { QuotaRule } from './quota-rule.ts';

/** Kinds of which only the number counts, whatever is in the objects. */
export const countedKinds: readonly Kind[] = [
  configMap,
  persistentVolumeClaim,
  replicationController,
  resourceQuota,
  secret,
  service,
];

/** How objects of a kind count against quotas; nothing when they do not. */
export function quotaRuleOf(kind: Kind): QuotaRule | undefined {
  if (kind === (pod as Kind)) return podQuotaRule;
  return countedKinds.includes(kind) ? countRule(kind.resource) : undefined;
}

function countRule(resource: string): QuotaRule {
  return {
    resources: [resource],
    usage: () => new Map([[resource, one]]),
    // Scopes are about pods, so a quota with scopes counts nothing else.
    isInScope: () => false,
    unstated: () => [],
  };
}
