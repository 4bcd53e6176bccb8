import { namespace } from '../kinds/core/namespace.ts';
import { service } from '../kinds/core/service.ts';
import type { Kind } from '../kinds/kind.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import { servedVersions, type ServedVersion } from '../kinds/served-version.ts';
import type { Registry } from './registry.ts';
import type { WriteOptions } from './write.ts';

/** What the server itself is called when it writes. */
export const systemUser = { name: 'system:apiserver', groups: ['system:masters'] };

const options: WriteOptions = { user: systemUser, dryRun: false, fieldValidation: 'Strict' };

export interface BootstrapParts {
  /** The address under which pods reach the server: the first of the service range. */
  readonly serviceAddress: string;
  readonly securePort: number;
}

/** Makes what every cluster has: its own namespaces, and the service through which pods find the server. */
export async function bootstrap(registry: Registry, parts: BootstrapParts): Promise<void> {
  for (const name of ['default', 'kube-system']) {
    await createIfMissing(registry, { served: served(namespace) }, { metadata: { name } });
  }
  await createIfMissing(registry, { served: served(service), namespace: 'default' }, kubernetesService(parts));
}

function kubernetesService({ serviceAddress, securePort }: BootstrapParts): object {
  return {
    metadata: { name: 'kubernetes', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      clusterIP: serviceAddress,
      ports: [{ name: 'https', port: 443, targetPort: securePort, protocol: 'TCP' }],
      sessionAffinity: 'ClientIP',
    },
  };
}

function served(kind: Kind): ServedVersion {
  return servedVersions(kind)[0]!;
}

async function createIfMissing(
  registry: Registry,
  address: { served: ServedVersion; namespace?: string },
  body: object,
): Promise<void> {
  try {
    await registry.create(address, { ...options, body });
  } catch (error) {
    const isThere = error instanceof ApiError && error.reason === 'AlreadyExists';
    if (!isThere) throw error;
  }
}
