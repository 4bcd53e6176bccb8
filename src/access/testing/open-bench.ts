import { seededIds } from '../../base/ids.ts';
import { silentLogger } from '../../base/logger.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import type { Kind } from '../../kinds/kind.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { clusterRoleBinding } from '../../kinds/rbac/cluster-role-binding.ts';
import { clusterRole } from '../../kinds/rbac/cluster-role.ts';
import { rbacGroup } from '../../kinds/rbac/rbac-group.ts';
import { roleBinding } from '../../kinds/rbac/role-binding.ts';
import { role } from '../../kinds/rbac/role.ts';
import type { PolicyRule } from '../../kinds/rbac/policy-rule.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import { presentObject } from '../../registry/encoding.ts';
import { Registry } from '../../registry/registry.ts';
import type { User, WriteOptions } from '../../registry/write.ts';
import { openMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import { authenticatedGroup } from '../authn/authenticator.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import { openAuthorizer } from '../authz/modes.ts';
import { nodeRestriction } from '../authz/node/node-restriction.ts';
import { escalationGuard } from '../authz/rbac/escalation-guard.ts';
import { followRoles } from '../authz/rbac/rbac-authorizer.ts';
import { roleAggregation } from '../authz/rbac/role-aggregation.ts';

export const master: User = { name: 'root', groups: ['system:masters'] };

export function user(name: string, ...groups: string[]): User {
  return { name, groups: [...groups, authenticatedGroup] };
}

/** Writes of the real registry on memory storage, guarded as a cluster's are. */
export interface AccessBench {
  readonly storage: Storage;
  readonly clock: SteppedClock;
  readonly registry: Registry;
  /** Node and RBAC. */
  readonly authorizer: Authorizer;
  /** By root unless somebody else is named. Objects of a namespace go into `one` unless they say otherwise. */
  create<T extends ApiObject>(kind: Kind<T>, body: object, by?: User): Promise<T>;
  replace<T extends ApiObject>(kind: Kind<T>, body: object, by?: User): Promise<T>;
  patch<T extends ApiObject>(kind: Kind<T>, name: string, patch: object, by?: User): Promise<T>;
  get<T extends ApiObject>(kind: Kind<T>, name: string): Promise<T>;
  remove(kind: Kind, name: string, by?: User): Promise<void>;
  /** A ClusterRole with these rules, given to a user everywhere. */
  grant(name: string, rules: PolicyRule[], to: User): Promise<void>;
  /** A Role with these rules, given to a user in a namespace. */
  grantIn(namespace: string, name: string, rules: PolicyRule[], to: User): Promise<void>;
}

export async function openBench(): Promise<AccessBench> {
  const clock = new SteppedClock();
  const storage = openMemoryStorage({ clock });
  const roles = followRoles(storage);
  const authorizer = await openAuthorizer(['Node', 'RBAC'], { storage, roles });
  const refresh = async (name: string): Promise<void> => {
    try {
      await bench.patch(clusterRole, name, {});
    } catch (error) {
      if (!isApiError(error, 404)) throw error;
    }
  };
  const admission = [nodeRestriction(), roleAggregation({ storage, refresh }), escalationGuard({ roles, authorizer })];
  const registry = new Registry({ storage, kinds: [], admission, clock, ids: seededIds(1), logger: silentLogger });
  const bench = benchOn({ storage, clock, registry, authorizer });
  return bench;
}

interface Body {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

function benchOn(parts: Pick<AccessBench, 'storage' | 'clock' | 'registry' | 'authorizer'>): AccessBench {
  const { registry } = parts;
  const write = (by: User = master): WriteOptions => ({ user: by, dryRun: false, fieldValidation: 'Strict' });
  const addressOf = (kind: Kind, name: string, namespace = 'one') => ({
    served: servedVersions(kind)[0]!,
    namespace: kind.namespaced ? namespace : undefined,
    name,
  });
  const bodyAddress = (kind: Kind, body: object): ReturnType<typeof addressOf> => {
    const { name = '', namespace } = (body as Body).metadata;
    return addressOf(kind, name, namespace);
  };
  const bench: AccessBench = {
    ...parts,
    async create<T extends ApiObject>(kind: Kind<T>, body: object, by?: User) {
      const address = bodyAddress(kind, body);
      const { object } = await registry.create(address, { ...write(by), body });
      return presentObject(object, address.served) as T;
    },
    async replace<T extends ApiObject>(kind: Kind<T>, body: object, by?: User) {
      const address = bodyAddress(kind, body);
      const { object } = await registry.update(address, { ...write(by), body });
      return presentObject(object, address.served) as T;
    },
    async patch<T extends ApiObject>(kind: Kind<T>, name: string, patch: object, by?: User) {
      const address = addressOf(kind, name);
      const merge = { type: 'application/merge-patch+json', body: patch } as const;
      const { object } = await registry.patch(address, { ...write(by), ...merge });
      return presentObject(object, address.served) as T;
    },
    async get<T extends ApiObject>(kind: Kind<T>, name: string) {
      const address = addressOf(kind, name);
      return presentObject(await registry.get(address), address.served) as T;
    },
    remove: async (kind, name, by) => void (await registry.delete(addressOf(kind, name), write(by))),
    async grant(name, rules, to) {
      await bench.create(clusterRole, { metadata: { name }, rules });
      const roleRef = { apiGroup: rbacGroup, kind: 'ClusterRole', name };
      await bench.create(clusterRoleBinding, { metadata: { name }, subjects: [subjectOf(to)], roleRef });
    },
    async grantIn(namespace, name, rules, to) {
      await bench.create(role, { metadata: { name, namespace }, rules });
      const roleRef = { apiGroup: rbacGroup, kind: 'Role', name };
      await bench.create(roleBinding, { metadata: { name, namespace }, subjects: [subjectOf(to)], roleRef });
    },
  };
  return bench;
}

function subjectOf({ name }: User): object {
  return { kind: 'User', name };
}
