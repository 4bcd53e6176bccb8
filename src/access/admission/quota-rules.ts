import { configMap } from '../../kinds/core/config-map.ts';
import { persistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts';
import { pod } from '../../kinds/core/pod.ts';
import { replicationController } from '../../kinds/core/replication-controller.ts';
import { resourceQuota } from '../../kinds/core/resource-quota.ts';
import { secret } from '../../kinds/core/secret.ts';
import { service } from '../../kinds/core/service.ts';
import type { Attempt } from '../../registry/admission.ts';
import { one } from './amounts.ts';
import { podQuotaRule } from './pod-quota-rule.ts';
import type { QuotaRule } from './quota-rule.ts';

/** Kinds of which only the number counts. */
const counted: ReadonlySet<unknown> = new Set([
  configMap,
  persistentVolumeClaim,
  replicationController,
  resourceQuota,
  secret,
  service,
]);

/** The rule for a write; nothing when quotas do not look at it. */
export function quotaRuleFor({ kind, operation, subresource }: Attempt): QuotaRule | undefined {
  if (operation === 'delete' || subresource !== undefined) return undefined;
  if (kind === pod) return podQuotaRule;
  return operation === 'create' && counted.has(kind) ? countRule(kind.resource) : undefined;
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
