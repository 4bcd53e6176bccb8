import type { PersistentVolume } from '../../../kinds/core/persistent-volume.ts';
import type { Pod } from '../../../kinds/core/pod.ts';
import type { EnvVar } from '../../../kinds/core/pod/env-var.ts';

/** On a pod that only shows what a node runs from a file of its own. */
const mirrorAnnotation = 'kubernetes.io/config.mirror';

export function isMirror({ metadata }: Pod): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}

/** An object in the namespace of what refers to it: `secrets/name`. */
export type Reference = `${'secrets' | 'configmaps' | 'persistentvolumeclaims' | 'serviceaccounts'}/${string}`;

/** The objects that a node needs in order to run a pod. */
export function referencesOf({ spec }: Pod): Set<Reference> {
  const { imagePullSecrets = [], volumes = [], containers, serviceAccountName } = spec;
  const references = new Set<Reference>();
  for (const { name } of imagePullSecrets) if (name) references.add(`secrets/${name}`);
  for (const { env = [] } of containers) addVariables(env, references);
  for (const volume of volumes) {
    const { secret, configMap, persistentVolumeClaim } = volume;
    if (secret) references.add(`secrets/${secret.secretName}`);
    if (configMap) references.add(`configmaps/${configMap.name ?? ''}`);
    if (persistentVolumeClaim) references.add(`persistentvolumeclaims/${persistentVolumeClaim.claimName}`);
    for (const name of driverSecrets(volume)) references.add(`secrets/${name}`);
  }
  if (serviceAccountName) references.add(`serviceaccounts/${serviceAccountName}`);
  return references;
}

function addVariables(variables: readonly EnvVar[], references: Set<Reference>): void {
  for (const { valueFrom } of variables) {
    const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
    if (secretKeyRef) references.add(`secrets/${secretKeyRef.name}`);
    if (configMapKeyRef) references.add(`configmaps/${configMapKeyRef.name}`);
  }
}

type DriverSources = Pick<NonNullable<PersistentVolume['spec']>, 'rbd' | 'cephfs' | 'flexVolume' | 'azureFile'>;

/** Secrets that what attaches a volume is handed. */
export function driverSecrets({ rbd, cephfs, flexVolume, azureFile }: DriverSources): string[] {
  const names = [rbd?.secretRef?.name, cephfs?.secretRef?.name, flexVolume?.secretRef?.name, azureFile?.secretName];
  return names.filter((name): name is string => Boolean(name));
}
