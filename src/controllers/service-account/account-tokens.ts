import { isDeepStrictEqual } from 'node:util';
import { changeObject } from '../../client/change-object.ts';
import { ifThere } from '../../client/if-there.ts';
import type { Informer } from '../../client/informer.ts';
import { keyOf, nameOf, parseKey, type ObjectName } from '../../client/object-name.ts';
import { namespace as namespaceKind, type Namespace } from '../../kinds/core/namespace.ts';
import {
  secret as secretKind,
  secretTypes,
  serviceAccountUidAnnotation,
  type Secret,
} from '../../kinds/core/secret.ts';
import { serviceAccount as accountKind, type ServiceAccount } from '../../kinds/core/service-account.ts';
import type { Controller, ControllerContext } from '../loop/controller.ts';
import { changesOf, type KeySource } from '../loop/key-source.ts';
import { accountNameOf, completeData, isTokenOf, newTokenSecret, type TokenOptions } from './token-secret.ts';

/** Gives every service account a token in a secret that the account names, fills in token secrets that users make, and removes both with the account. */
export function accountTokens(options: TokenOptions): Controller {
  return {
    name: 'token-controller',
    start(context) {
      const { informers } = context;
      const tokens = new AccountTokenKeeper({
        context,
        options,
        namespaces: informers.of(namespaceKind),
        accounts: informers.of(accountKind),
        secrets: informers.of(secretKind, { fields: { type: secretTypes.serviceAccountToken } }),
      });
      return { sources: tokens.sources(), reconcile: (key) => tokens.reconcile(key) };
    },
  };
}

interface KeeperParts {
  readonly context: ControllerContext;
  readonly options: TokenOptions;
  readonly namespaces: Informer<Namespace>;
  readonly accounts: Informer<ServiceAccount>;
  /** Token secrets only. */
  readonly secrets: Informer<Secret>;
}

/** Works by account: a key is the account's, whether or not there is one. */
class AccountTokenKeeper {
  readonly #parts: KeeperParts;
  /** Names of token secrets that have gone, by the account that may still name them. */
  readonly #lost = new Map<string, Set<string>>();
  /** Tokens that were made for accounts which could not be changed to name them; the next attempt takes those. */
  readonly #unnamed = new Map<string, ObjectName>();

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  sources(): KeySource[] {
    return [changesOf(this.#parts.accounts), this.#secretChanges()];
  }

  async reconcile(key: string): Promise<void> {
    const account = await this.#findAccount(key);
    const secrets = this.#parts.secrets.index(accountKeys).get(key);
    for (const secret of secrets) {
      if (!account || !isTokenOf(secret, account)) await this.#delete(secret);
      else await this.#complete(secret, account);
    }
    if (!account || !this.#isActive(account)) {
      this.#lost.delete(key);
      this.#unnamed.delete(key);
      return;
    }
    await this.#strikeLost(key, account);
    await this.#ensureToken(key, account);
  }

  #secretChanges(): KeySource {
    const { secrets } = this.#parts;
    return {
      synced: secrets.synced,
      subscribe: (enqueue) =>
        secrets.on({
          added: (secret) => accountKeys(secret).forEach(enqueue),
          updated: (old, secret) => [...accountKeys(old), ...accountKeys(secret)].forEach(enqueue),
          deleted: (secret) => {
            for (const key of accountKeys(secret)) {
              const names = this.#lost.get(key) ?? new Set();
              this.#lost.set(key, names.add(secret.metadata.name ?? ''));
              enqueue(key);
            }
          },
        }),
    };
  }

  /** What the copy does not have may still be there: secrets are only deleted for accounts that the server does not have. */
  async #findAccount(key: string): Promise<ServiceAccount | undefined> {
    const { accounts, secrets, context } = this.#parts;
    const known = accounts.get(key);
    const isDisputed = secrets
      .index(accountKeys)
      .get(key)
      .some((secret) => !known || !isTokenOf(secret, known));
    if (known && !isDisputed) return known;
    return ifThere(context.client.get(accountKind, parseKey(key)));
  }

  #isActive({ metadata }: ServiceAccount): boolean {
    const found = this.#parts.namespaces.get(metadata.namespace ?? '');
    return metadata.deletionTimestamp === undefined && found?.metadata.deletionTimestamp === undefined;
  }

  async #delete(secret: Secret): Promise<void> {
    const preconditions = { uid: secret.metadata.uid };
    await ifThere(this.#parts.context.client.delete(secretKind, nameOf(secret), { preconditions }));
  }

  /** A user may ask for a further token with an empty secret. */
  async #complete(secret: Secret, { metadata: { uid = '' } }: ServiceAccount): Promise<void> {
    const data = await completeData(secret, uid, this.#parts.options);
    const annotations = { ...secret.metadata.annotations, [serviceAccountUidAnnotation]: uid };
    const isComplete =
      isDeepStrictEqual(data, secret.data ?? {}) && isDeepStrictEqual(annotations, secret.metadata.annotations);
    if (isComplete || secret.metadata.deletionTimestamp !== undefined) return;
    const completed = { ...secret, metadata: { ...secret.metadata, annotations }, data };
    await ifThere(this.#parts.context.client.update(secretKind, completed));
  }

  async #strikeLost(key: string, account: ServiceAccount): Promise<void> {
    const lost = this.#lost.get(key);
    if (!lost) return;
    const isLost = ({ name = '' }: { name?: string }): boolean =>
      lost.has(name) && !this.#parts.secrets.get(keyOf({ namespace: account.metadata.namespace, name }));
    await this.#change(account, (current) => {
      if (!current.secrets?.some(isLost)) return false;
      current.secrets = current.secrets.filter((each) => !isLost(each));
      return true;
    });
    this.#lost.delete(key);
  }

  async #ensureToken(key: string, account: ServiceAccount): Promise<void> {
    if (!(await this.#needsToken(account))) {
      this.#unnamed.delete(key);
      return;
    }
    const secret = (await this.#unnamedToken(key, account)) ?? (await this.#makeToken(account));
    const { name } = secret.metadata;
    this.#unnamed.set(key, nameOf(secret));
    const changed = await this.#change(account, (each) => void (each.secrets = [...(each.secrets ?? []), { name }]));
    this.#unnamed.delete(key);
    if (!changed) await this.#delete(secret);
  }

  /** Copies that lag behind would get an account a token for each time that it is looked at, so the server is asked. */
  async #needsToken(account: ServiceAccount): Promise<boolean> {
    if (this.#namesToken(account)) return false;
    const current = await ifThere(this.#parts.context.client.get(accountKind, nameOf(account)));
    if (!current || current.metadata.uid !== account.metadata.uid) return false;
    return !(await this.#namesStoredToken(current));
  }

  async #unnamedToken(key: string, account: ServiceAccount): Promise<Secret | undefined> {
    const name = this.#unnamed.get(key);
    const secret = name && (await ifThere(this.#parts.context.client.get(secretKind, name)));
    return secret && isTokenOf(secret, account) ? secret : undefined;
  }

  async #makeToken(account: ServiceAccount): Promise<Secret> {
    const { context, options } = this.#parts;
    const name = `${account.metadata.name}-token-${context.ids.nameSuffix()}`;
    return context.client.create(secretKind, await newTokenSecret(account, name, options));
  }

  #namesToken(account: ServiceAccount): boolean {
    const { namespace } = account.metadata;
    return (account.secrets ?? []).some(({ name = '' }) => {
      const secret = this.#parts.secrets.get(keyOf({ namespace, name }));
      return secret !== undefined && isTokenOf(secret, account);
    });
  }

  async #namesStoredToken(account: ServiceAccount): Promise<boolean> {
    const { namespace } = account.metadata;
    for (const { name = '' } of account.secrets ?? []) {
      const secret = name ? await ifThere(this.#parts.context.client.get(secretKind, { namespace, name })) : undefined;
      if (secret?.type === secretTypes.serviceAccountToken && isTokenOf(secret, account)) return true;
    }
    return false;
  }

  /** Nothing when the account is gone, or another one has its name. */
  async #change(
    { metadata }: ServiceAccount,
    change: (account: ServiceAccount) => boolean | void,
  ): Promise<ServiceAccount | undefined> {
    const name = { namespace: metadata.namespace, name: metadata.name ?? '' };
    const changed = await ifThere(
      changeObject(this.#parts.context.client, {
        kind: accountKind,
        name,
        change: (account) => (account.metadata.uid === metadata.uid ? change(account) : false),
      }),
    );
    return changed?.metadata.uid === metadata.uid ? changed : undefined;
  }
}

/** The key of the account that a token secret is for, as an index takes it. */
function accountKeys(secret: Secret): readonly string[] {
  const name = accountNameOf(secret);
  return name ? [keyOf({ namespace: secret.metadata.namespace, name })] : [];
}
