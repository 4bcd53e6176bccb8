import { isDeepStrictEqual } from 'node:util';
import type { Kind } from '../../../kinds/kind.ts';
import { isApiError } from '../../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../../kinds/meta/object-meta.ts';
import { clusterRoleBinding, type ClusterRoleBinding } from '../../../kinds/rbac/cluster-role-binding.ts';
import { clusterRole, type ClusterRole } from '../../../kinds/rbac/cluster-role.ts';
import { servedVersions } from '../../../kinds/served-version.ts';
import type { ObjectAddress } from '../../../registry/address.ts';
import type { Registry } from '../../../registry/registry.ts';
import type { StoredObject } from '../../../registry/stored-object.ts';
import type { WriteOptions } from '../../../registry/write.ts';
import { bootstrapBindings } from './bootstrap-bindings.ts';
import { autoUpdateAnnotation } from './bootstrap-metadata.ts';
import { bootstrapRoles } from './bootstrap-roles.ts';
import { missingRules } from './missing-rules.ts';

/**
 * Sees to it that the roles and bindings are there that every cluster has. What one that is there lacks is added, unless its annotation says not to;
 * nothing that users added is taken away.
 */
export async function ensureBootstrapPolicy(registry: Registry, write: WriteOptions): Promise<void> {
  const writer = { registry, write };
  const roles = bootstrapRoles();
  const ensureRole = (wanted: ClusterRole): Promise<void> => ensure(writer, clusterRole, wanted, completeRole);
  await Promise.all(roles.filter((role) => !role.aggregationRule).map(ensureRole));
  // One after the other, since each can be made of those before it.
  for (const role of roles.filter(({ aggregationRule }) => aggregationRule)) await ensureRole(role);
  const ensureBinding = (wanted: ClusterRoleBinding): Promise<void> =>
    ensure(writer, clusterRoleBinding, wanted, completeBinding);
  await Promise.all(bootstrapBindings().map(ensureBinding));
}

/** Gives the object that is to be there instead of what is there. */
type Complete<T> = (found: T, wanted: T) => T;

interface PolicyWriter {
  readonly registry: Registry;
  readonly write: WriteOptions;
}

async function ensure<T extends ApiObject>(
  { registry, write }: PolicyWriter,
  kind: Kind<T>,
  wanted: T,
  complete: Complete<T>,
): Promise<void> {
  const address = { served: servedVersions(kind)[0]!, name: wanted.metadata.name! };
  const create = (): Promise<unknown> => registry.create(address, { ...write, body: wanted });
  const found = await find<T>(registry, address);
  if (found?.object.metadata.annotations?.[autoUpdateAnnotation] === 'false') return;
  try {
    if (!found) {
      await create();
    } else if (isOtherRole(found.object, wanted)) {
      await registry.delete(address, write);
      await create();
    } else {
      await registry.update(address, { ...write, body: complete(withMetadata(found.thaw(), wanted), wanted) });
    }
  } catch (error) {
    // Another server that starts at the same time does the same and was first.
    if (!isApiError(error, 409)) throw error;
  }
}

async function find<T extends ApiObject>(
  registry: Registry,
  address: ObjectAddress,
): Promise<StoredObject<T> | undefined> {
  try {
    return (await registry.get(address)) as StoredObject<T>;
  } catch (error) {
    if (isApiError(error, 404)) return undefined;
    throw error;
  }
}

function withMetadata<T extends ApiObject>(found: T, { metadata }: T): T {
  const labels = { ...metadata.labels, ...found.metadata.labels };
  const annotations = { ...metadata.annotations, ...found.metadata.annotations };
  return { ...found, metadata: { ...found.metadata, labels, annotations } };
}

function completeRole(found: ClusterRole, wanted: ClusterRole): ClusterRole {
  const { rules = [] } = found;
  const missing = (wanted.rules ?? []).filter((rule) => missingRules(rules, [rule]).length > 0);
  return { ...found, rules: [...rules, ...missing], aggregationRule: found.aggregationRule ?? wanted.aggregationRule };
}

function completeBinding(found: ClusterRoleBinding, wanted: ClusterRoleBinding): ClusterRoleBinding {
  const { subjects = [] } = found;
  const missing = (wanted.subjects ?? []).filter((each) => !subjects.some((other) => isDeepStrictEqual(each, other)));
  return { ...found, subjects: [...subjects, ...missing] };
}

/** A binding cannot be given another role, so one that leads elsewhere is made anew. */
function isOtherRole(found: ApiObject, wanted: ApiObject): boolean {
  const refOf = (object: ApiObject): unknown => (object as Partial<ClusterRoleBinding>).roleRef;
  return !isDeepStrictEqual(refOf(found), refOf(wanted));
}
