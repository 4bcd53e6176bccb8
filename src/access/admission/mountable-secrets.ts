import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import type { ServiceAccount } from '../../kinds/core/service-account.ts';

/** On an account: its pods may use only the secrets that the account lists. */
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets';
const yes = /^(1|t|T|true|True|TRUE)$/;

/** Secrets that a pod refers to although its account, if it is strict about that, does not list them. */
export function forbiddenSecrets(spec: PodSpec, account: ServiceAccount): string[] {
  if (!yes.test(account.metadata.annotations?.[enforceAnnotation] ?? '')) return [];
  const secrets = new Set(account.secrets?.map(({ name }) => name));
  const pullSecrets = new Set(account.imagePullSecrets?.map(({ name }) => name));
  const used = [
    ...(spec.volumes ?? []).flatMap(({ secret }) => (secret ? [secret.secretName] : [])),
    ...(spec.containers ?? [])
      .flatMap(({ env }) => env ?? [])
      .flatMap(({ valueFrom }) => (valueFrom?.secretKeyRef ? [valueFrom.secretKeyRef.name] : [])),
  ];
  const pulled = (spec.imagePullSecrets ?? []).map(({ name }) => name);
  const wrong = [...used.filter((name) => !secrets.has(name)), ...pulled.filter((name) => !pullSecrets.has(name))];
  return [...new Set(wrong.map((name) => `secret "${name ?? ''}"`))];
}
