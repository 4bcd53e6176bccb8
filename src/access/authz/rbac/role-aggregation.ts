import { isDeepStrictEqual } from 'node:util';
import { selectsLabels } from '../../../kinds/meta/label-selector.ts';
import { clusterRole, type ClusterRole } from '../../../kinds/rbac/cluster-role.ts';
import type { PolicyRule } from '../../../kinds/rbac/policy-rule.ts';
import type { Kind } from '../../../kinds/kind.ts';
import type { AdmissionPlugin, Attempt } from '../../../registry/admission.ts';
import { collectionPrefix } from '../../../registry/address.ts';
import type { Storage } from '../../../storage/storage.ts';

export interface RoleAggregationParts {
  readonly storage: Storage;
  /** Writes a role anew as it is, so that this plugin sees it and completes it; a role that is gone is no error. */
  readonly refresh: (name: string) => Promise<void>;
}

/**
 * Roles that are made of others have the rules of those. What selects others is completed when it is written; what is selected has those that select it
 * written anew before its own write is answered. Storage is read rather than an index, so that the last of several servers to write has seen all of it.
 */
export function roleAggregation({ storage, refresh }: RoleAggregationParts): AdmissionPlugin {
  return {
    name: 'RoleAggregation',
    kinds: [clusterRole] as readonly Kind[],
    async mutate({ kind, operation, object }) {
      if (kind !== clusterRole || operation === 'delete' || !object) return;
      const target = object as ClusterRole;
      if (target.aggregationRule) target.rules = combine(target, await readRoles(storage));
    },
    async reserve(attempt) {
      if (attempt.kind !== clusterRole || attempt.dryRun || isUnchanged(attempt)) return undefined;
      return { settle: () => refreshDependents(attempt) };
    },
  };

  async function refreshDependents({ object, old, name }: Attempt): Promise<void> {
    const own = object?.metadata.name ?? name;
    const lends = (other: ClusterRole): boolean =>
      other.metadata.name !== own && [object, old].some((role) => role !== undefined && isSelected(other, role));
    for (const other of (await readRoles(storage)).filter(lends)) await refresh(other.metadata.name ?? '');
  }
}

function isUnchanged({ object, old }: Attempt): boolean {
  if (!object || !old) return false;
  const [after, before] = [object as ClusterRole, old as ClusterRole];
  return (
    isDeepStrictEqual(after.rules, before.rules) && isDeepStrictEqual(after.metadata.labels, before.metadata.labels)
  );
}

/** In the order of their names. */
async function readRoles(storage: Storage): Promise<ClusterRole[]> {
  const { entries } = await storage.list(collectionPrefix(clusterRole));
  return entries.map(({ value }) => JSON.parse(value.toString('utf8')) as ClusterRole);
}

/** Every rule once, whichever of the roles it comes from. */
function combine(target: ClusterRole, roles: readonly ClusterRole[]): PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const role of roles) {
    if (role.metadata.name === target.metadata.name || !isSelected(target, role)) continue;
    for (const rule of role.rules ?? []) rules.set(JSON.stringify(rule), rule);
  }
  return [...rules.values()];
}

function isSelected({ aggregationRule }: ClusterRole, { metadata }: ClusterRole): boolean {
  const selectors = aggregationRule?.clusterRoleSelectors ?? [];
  return selectors.some((selector) => selectsLabels(selector, metadata.labels));
}
