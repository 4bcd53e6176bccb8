import { pod as podKind } from '../../kinds/core/pod.ts';
import { addAll, describeAmounts, negateAll, none, readAmounts, type Amounts } from '../../kinds/core/quota/amounts.ts';
import type { QuotaRule } from '../../kinds/core/quota/quota-rule.ts';
import { quotaRuleOf } from '../../kinds/core/quota/quota-rules.ts';
import { resourceQuota as quotaKind, type ResourceQuota } from '../../kinds/core/resource-quota.ts';
import type { ApiError } from '../../kinds/meta/api-error.ts';
import type { AdmissionPlugin, Attempt, Reservation } from '../../registry/admission.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { Storage } from '../../storage/storage.ts';
import { ObjectsByNamespace } from './objects-by-namespace.ts';
import { QuotaLedger, type Charge } from './quota-ledger.ts';
import { refusal } from './refusal.ts';

/**
 * Holds namespaces to their quotas. What is in force is `status.hard`, as in the reference; what is used is charged here and given back by
 * whoever recounts, except that a write which fails gives back its own charge.
 */
export function resourceQuota(storage: Storage): AdmissionPlugin {
  const quotas = new ObjectsByNamespace(storage, quotaKind);
  const ledger = new QuotaLedger(storage);
  return {
    name: 'ResourceQuota',
    mutate(attempt) {
      const rule = attempt.object && chargedBy(attempt);
      if (!rule) return undefined;
      const found = quotas.in(attempt.namespace);
      return found instanceof Promise
        ? found.then((each) => refuse(attempt, rule, each))
        : refuse(attempt, rule, found);
    },
    reserve(attempt) {
      const rule = chargedBy(attempt);
      if (!rule) return undefined;
      const found = quotas.in(attempt.namespace);
      return !(found instanceof Promise) && found.length === 0 ? undefined : charge(attempt, rule, found);
    },
  };

  async function charge(
    attempt: Attempt,
    rule: QuotaRule,
    found: Found | Promise<Found>,
  ): Promise<Reservation | undefined> {
    const keys = (await found).map(({ key }) => key);
    const claim = (quota: ResourceQuota): Amounts => demand(attempt, rule, quota);
    // Where several must agree, nothing is taken from one while another refuses.
    if (keys.length > 1 || attempt.dryRun) for (const key of keys) await ledger.check(key, claim);
    if (keys.length === 0 || attempt.dryRun) return undefined;
    const charges: Charge[] = [];
    const undo = async (): Promise<void> => {
      for (const charge of charges) await ledger.giveBack(charge);
    };
    try {
      for (const key of keys) {
        const charge = await ledger.charge(key, claim);
        if (charge) charges.push(charge);
      }
    } catch (error) {
      await undo();
      throw error;
    }
    return { undo };
  }
}

type Found = readonly StoredObject<ResourceQuota>[];

/** Before anything is charged: as in the reference, what a quota does not allow is refused even if something else is wrong with it. */
function refuse(attempt: Attempt, rule: QuotaRule, found: Found): void {
  for (const { object } of found) demand(attempt, rule, object);
}

/** The rule for a write; nothing when quotas do not look at it. Of other kinds than pods only the number counts. */
function chargedBy({ kind, operation, subresource }: Attempt): QuotaRule | undefined {
  if (operation === 'delete' || subresource !== undefined) return undefined;
  return operation === 'create' || kind === podKind ? quotaRuleOf(kind) : undefined;
}

/** What a write takes from a quota; refuses what the quota does not allow. */
function demand(attempt: Attempt, rule: QuotaRule, quota: ResourceQuota): Amounts {
  const object = attempt.object!;
  const hard = readAmounts(quota.status?.hard);
  const names = rule.resources.filter((name) => hard.has(name));
  const scopes = quota.spec?.scopes ?? [];
  if (names.length === 0 || !scopes.every((scope) => rule.isInScope(object, scope))) return none;
  const unstated = rule.unstated(object, names);
  if (unstated.length > 0) {
    throw refusedBy(quota, attempt, `it bounds ${unstated.join(', ')}, so every container must say how much it needs`);
  }
  const used = readAmounts(quota.status?.used);
  const uncounted = [...hard.keys()].filter((name) => !used.has(name));
  if (uncounted.length > 0)
    throw refusedBy(quota, attempt, `what is used of ${uncounted.join(', ')} is not counted yet`);
  const change = difference(rule, attempt);
  if ([...change.values()].every(({ nanos }) => nanos === 0n)) return none;
  const asked = pick(change, (name, amount) => names.includes(name) && amount !== 0n);
  // As in the reference, every bound of the quota must be kept, also one that the write is not about.
  const exceeded = pick(addAll(used, asked), (name, amount) => hard.has(name) && amount > hard.get(name)!.nanos);
  if (exceeded.size > 0) throw refusedBy(quota, attempt, describeExcess([...exceeded.keys()], { asked, used, hard }));
  return asked;
}

/** Usage of the new object less that of the old one. */
function difference(rule: QuotaRule, { object, old }: Attempt): Amounts {
  const usage = rule.usage(object!);
  return old ? addAll(usage, negateAll(rule.usage(old))) : usage;
}

function pick(amounts: Amounts, isWanted: (name: string, nanos: bigint) => boolean): Amounts {
  return new Map([...amounts].filter(([name, { nanos }]) => isWanted(name, nanos)));
}

function describeExcess(exceeded: readonly string[], amounts: Record<'asked' | 'used' | 'hard', Amounts>): string {
  const only = (of: Amounts): string => describeAmounts(pick(of, (name) => exceeded.includes(name)));
  const asked = only(amounts.asked);
  return `${asked && `asked for ${asked}; `}used ${only(amounts.used)}; allowed ${only(amounts.hard)}`;
}

function refusedBy(quota: ResourceQuota, attempt: Attempt, why: string): ApiError {
  return refusal(attempt, `quota "${quota.metadata.name}": ${why}`);
}
