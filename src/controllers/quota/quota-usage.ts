import { addAll, none, readAmounts, writeAmounts, type Amounts } from '../../kinds/core/quota/amounts.ts';
import type { QuotaRule } from '../../kinds/core/quota/quota-rule.ts';
import type { ResourceQuota, ResourceQuotaStatus } from '../../kinds/core/resource-quota.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

/** A rule, and the objects of a namespace that it is about. */
export interface CountedObjects {
  readonly rule: QuotaRule;
  readonly list: (namespace: string) => readonly ApiObject[];
}

/** What a quota's status is to say: the bounds that are asked for, and for each of them what is in use. */
export function countUsage(quota: ResourceQuota, counted: readonly CountedObjects[]): ResourceQuotaStatus {
  const { hard = {}, scopes = [] } = quota.spec ?? {};
  let used: Amounts = none;
  for (const { rule, list } of counted) {
    if (!rule.resources.some((name) => Object.hasOwn(hard, name))) continue;
    for (const object of list(quota.metadata.namespace ?? '')) {
      if (scopes.every((scope) => rule.isInScope(object, scope))) used = addAll(used, rule.usage(object));
    }
  }
  const texts = writeAmounts(used);
  return { hard, used: Object.fromEntries(Object.keys(hard).map((name) => [name, texts[name] ?? '0'])) };
}

/** Whether less is in use than before of anything. */
export function isLower({ used }: ResourceQuotaStatus, before: ResourceQuotaStatus = {}): boolean {
  const old = readAmounts(before.used);
  return [...readAmounts(used)].some(([name, { nanos }]) => nanos < (old.get(name)?.nanos ?? 0n));
}
