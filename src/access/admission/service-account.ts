import type { Clock } from '../../base/clock.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { serviceAccount as accountKind, type ServiceAccount } from '../../kinds/core/service-account.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { AdmissionPlugin, Attempt } from '../../registry/admission.ts';
import { objectKey } from '../../registry/address.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Storage } from '../../storage/storage.ts';
import { isMirror } from '../authz/node/pod-references.ts';
import { findTokenSecret, mountToken } from './account-token-mount.ts';
import { awaitObject } from './await-object.ts';
import { forbiddenSecrets } from './mountable-secrets.ts';
import { refusal } from './refusal.ts';

const defaultAccount = 'default';

/** How long a pod may wait for its account and the token, which a controller makes just after the namespace. */
const patienceMs = 2000;

export interface ServiceAccountParts {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Whether a controller gives accounts their tokens, so that it is worth waiting for one. */
  readonly expectsTokens: boolean;
}

/** Sees to it that every new pod has a service account that is there, and hands it the account's token and its secrets for fetching images. */
export function serviceAccount(parts: ServiceAccountParts): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    kinds: [podKind] as readonly Kind[],
    async mutate(attempt) {
      const { kind, operation, subresource, object } = attempt;
      if (kind !== podKind || operation !== 'create' || subresource !== undefined || !object) return;
      const pod = object as Pod;
      if (isMirror(pod)) checkMirror(attempt, pod);
      else await giveAccount(parts, attempt, pod);
    },
  };
}

/** What runs already cannot be given anything. */
function checkMirror(attempt: Attempt, { spec }: Pod): void {
  if (spec.serviceAccountName) throw refusal(attempt, 'a mirror pod cannot have a service account');
  if (spec.volumes?.some(({ secret }) => secret)) throw refusal(attempt, 'a mirror pod cannot have volumes of secrets');
}

async function giveAccount(parts: ServiceAccountParts, attempt: Attempt, { spec }: Pod): Promise<void> {
  const { storage, clock, expectsTokens } = parts;
  const name = spec.serviceAccountName ?? defaultAccount;
  // No name of an account: validation says so.
  if (dnsSubdomain.check(name)) return;
  Object.assign(spec, { serviceAccountName: name, serviceAccount: name });
  const account = await awaitObject<ServiceAccount>({
    storage,
    clock,
    key: objectKey(accountKind, attempt.namespace, name),
    isReady: ({ secrets = [] }) => !expectsTokens || secrets.length > 0,
    // Only the default account comes by itself.
    ms: expectsTokens && name === defaultAccount ? patienceMs : 0,
  });
  if (!account) {
    throw refusal(attempt, `there is no service account "${name}" in its namespace; try again when it was made`);
  }
  const forbidden = forbiddenSecrets(spec, account);
  if (forbidden.length > 0) {
    throw refusal(attempt, `the service account "${name}" does not let it use ${forbidden.join(', ')}`);
  }
  if (!spec.imagePullSecrets?.length && account.imagePullSecrets) spec.imagePullSecrets = account.imagePullSecrets;
  const token = await findTokenSecret(storage, account);
  if (token) mountToken(spec, token);
}
