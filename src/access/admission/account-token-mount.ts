import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import { secret as secretKind, secretTypes, serviceAccountUidAnnotation } from '../../kinds/core/secret.ts';
import type { ServiceAccount } from '../../kinds/core/service-account.ts';
import type { Storage } from '../../storage/storage.ts';
import { readObject } from '../read-object.ts';

/** Where programs in pods look for their token. */
export const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The secret that holds an account's token, where there is one. */
export async function findTokenSecret(storage: Storage, account: ServiceAccount): Promise<string | undefined> {
  const { namespace, uid } = account.metadata;
  for (const { name } of account.secrets ?? []) {
    const secret = name ? await readObject(storage, secretKind, namespace, name) : undefined;
    const isToken = secret?.type === secretTypes.serviceAccountToken;
    if (isToken && secret.metadata.annotations?.[serviceAccountUidAnnotation] === uid) return name;
  }
  return undefined;
}

/** Puts the token into every container that has nothing of its own there. */
export function mountToken(spec: PodSpec, secretName: string): void {
  const bare = spec.containers.filter(({ volumeMounts = [] }) => !volumeMounts.some((m) => m.mountPath === tokenPath));
  if (bare.length === 0) return;
  const volumes = (spec.volumes ??= []);
  const existing = volumes.find(({ secret }) => secret?.secretName === secretName);
  const name = existing?.name ?? secretName;
  if (!existing) volumes.push({ name, secret: { secretName } });
  for (const container of bare) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: tokenPath }];
  }
}
