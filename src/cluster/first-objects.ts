import { namespace, type Namespace } from '../kinds/core/namespace.ts';
import { service, type Service } from '../kinds/core/service.ts';
import type { Kind } from '../kinds/kind.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { servedVersions } from '../kinds/served-version.ts';
import type { ObjectAddress } from '../registry/address.ts';
import type { Registry } from '../registry/registry.ts';
import type { WriteOptions } from '../registry/write.ts';

/** What a cluster writes itself is written like everything else, under this name. */
const ownWrite: WriteOptions = {
  user: { name: 'system:apiserver', groups: ['system:masters'] },
  dryRun: false,
  fieldValidation: 'Strict',
};

export interface FirstObjectsOptions {
  readonly registry: Registry;
  /** The address under which pods find the server. */
  readonly serviceAddress: string;
  readonly securePort: number;
}

/** Sees to it that the objects are there that every cluster has: the namespace `default`, and in it the service `kubernetes`. */
export async function ensureFirstObjects(options: FirstObjectsOptions): Promise<void> {
  const { registry, serviceAddress, securePort } = options;
  const defaultNamespace: Namespace = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'default' } };
  await ensure(registry, namespace, defaultNamespace);
  const ports: NonNullable<Service['spec']>['ports'] = [
    { name: 'https', port: 443, protocol: 'TCP', targetPort: securePort },
  ];
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  const kubernetes: Service = {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'kubernetes', namespace: 'default', labels },
    spec: { clusterIP: serviceAddress, sessionAffinity: 'ClientIP', ports },
  };
  // The port may be another one than at the last start.
  await ensure(registry, service, kubernetes, { spec: { ports } });
}

/** Creates the object, or brings one that is there up to date with a merge patch; one that says the same already is not written. */
async function ensure(registry: Registry, kind: Kind, object: ApiObject, update?: object): Promise<void> {
  const { name = '', namespace } = object.metadata;
  const address = { served: servedVersions(kind)[0]!, namespace, name };
  if (!(await exists(registry, address))) await registry.create(address, { ...ownWrite, body: object });
  else if (update) await registry.patch(address, { ...ownWrite, type: 'application/merge-patch+json', body: update });
}

async function exists(registry: Registry, address: ObjectAddress): Promise<boolean> {
  try {
    await registry.get(address);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return false;
    throw error;
  }
}
