import { endpoints, type Endpoints } from '../kinds/core/endpoints.ts';
import { namespace, type Namespace } from '../kinds/core/namespace.ts';
import { service, type Service } from '../kinds/core/service.ts';
import type { Kind } from '../kinds/kind.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { servedVersions } from '../kinds/served-version.ts';
import type { ObjectAddress } from '../registry/address.ts';
import type { Registry } from '../registry/registry.ts';
import { ownWrite } from './own-write.ts';

export interface FirstObjectsOptions {
  readonly registry: Registry;
  /** The address under which pods find the server. */
  readonly serviceAddress: string;
  readonly securePort: number;
  /** The address at which other machines reach the server; absent when only this one does. */
  readonly advertiseAddress?: string;
}

/** Sees to it that the objects are there that every cluster has: its own namespaces, and the service `kubernetes`. */
export async function ensureFirstObjects(options: FirstObjectsOptions): Promise<void> {
  const { registry, serviceAddress, securePort, advertiseAddress } = options;
  for (const name of ['default', 'kube-system']) {
    const own: Namespace = { kind: 'Namespace', apiVersion: 'v1', metadata: { name } };
    await ensure(registry, namespace, own);
  }
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
  if (advertiseAddress !== undefined) await ensureEndpoints(registry, advertiseAddress, securePort);
}

/** Where the service `kubernetes` leads; it has no selector, so nobody else says so. */
async function ensureEndpoints(registry: Registry, ip: string, port: number): Promise<void> {
  const subsets: Endpoints['subsets'] = [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }];
  const metadata = { name: 'kubernetes', namespace: 'default' };
  await ensure(registry, endpoints, { kind: 'Endpoints', apiVersion: 'v1', metadata, subsets } as Endpoints, {
    subsets,
  });
}

/** Creates the object, or brings one that is there up to date with a merge patch; one that says the same already is not written. */
async function ensure(registry: Registry, kind: Kind, object: ApiObject, update?: object): Promise<void> {
  const { name = '', namespace } = object.metadata;
  const address = { served: servedVersions(kind)[0]!, namespace, name };
  const isMade = !(await exists(registry, address)) && (await create(registry, address, object));
  if (!isMade && update) {
    await registry.patch(address, { ...ownWrite, type: 'application/merge-patch+json', body: update });
  }
}

/** False where another server that starts at the same time was first. */
async function create(registry: Registry, address: ObjectAddress, body: ApiObject): Promise<boolean> {
  try {
    await registry.create(address, { ...ownWrite, body });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 409) return false;
    throw error;
  }
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
