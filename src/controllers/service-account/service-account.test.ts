import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Client } from '../../client/client.ts';
import { nameOf } from '../../client/object-name.ts';
import { openClient } from '../../client/testing/client-fixture.ts';
import { LaggingClient } from '../../client/testing/lagging-client.ts';
import { namespace } from '../../kinds/core/namespace.ts';
import { secret, type Secret } from '../../kinds/core/secret.ts';
import { serviceAccount, type ServiceAccount } from '../../kinds/core/service-account.ts';
import { isApiError, serviceUnavailable } from '../../kinds/meta/api-error.ts';
import type { Attempt } from '../../registry/admission.ts';
import { runControllers } from '../loop/run-controllers.ts';
import { openControllers, type ControllerFixture } from '../testing/controller-fixture.ts';
import { accountTokens } from './account-tokens.ts';
import { defaultAccounts } from './default-accounts.ts';
import type { TokenClaims } from './token-secret.ts';

const builder = { namespace: 'one', name: 'builder' };
const tokenType = 'kubernetes.io/service-account-token';

function text(base64 = ''): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

describe('the service account controllers', () => {
  let fixture: ControllerFixture;
  let client: Client;
  let authority: string;
  /** Whether accounts can be made but not changed. */
  let isStuck: boolean;
  const issueToken = ({ namespace, account, secretName }: TokenClaims): string =>
    `token of ${namespace}/${account.name} ${account.uid} in ${secretName}`;
  const tokens = accountTokens({ issueToken, authority: () => authority });
  beforeEach(async () => {
    authority = 'certificate one';
    isStuck = false;
    const mutate = ({ operation }: Attempt): void => {
      if (isStuck && operation === 'update') throw serviceUnavailable('accounts cannot be changed');
    };
    const stuck = { name: 'Stuck', kinds: [serviceAccount], mutate };
    fixture = await openControllers([defaultAccounts, tokens], { admission: [stuck] });
    ({ client } = fixture);
  });
  afterEach(() => fixture.close());

  async function makeAccount(secrets?: ServiceAccount['secrets']): Promise<ServiceAccount> {
    await client.create(serviceAccount, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: builder, secrets });
    await fixture.run.settled();
    return client.get(serviceAccount, builder);
  }

  async function tokensOf(name: string): Promise<Secret[]> {
    const { items } = await client.list(secret, { namespace: 'one', fields: { type: tokenType } });
    return items.filter(({ metadata }) => metadata.annotations?.['kubernetes.io/service-account.name'] === name);
  }

  async function makeTokenSecret(name: string, account: string, data?: Record<string, string>): Promise<Secret> {
    const metadata = { name, namespace: 'one', annotations: { 'kubernetes.io/service-account.name': account } };
    const made = await client.create(secret, { kind: 'Secret', apiVersion: 'v1', metadata, type: tokenType, data });
    await fixture.run.settled();
    return made;
  }

  const isGone = (error: unknown): boolean => isApiError(error, 404);

  test('every namespace has a default account, which comes back when it is deleted', async () => {
    const name = { name: 'two' };
    await client.create(namespace, { kind: 'Namespace', apiVersion: 'v1', metadata: name });
    await fixture.run.settled();
    for (const each of ['default', 'one', 'two']) {
      assert.ok(await client.get(serviceAccount, { namespace: each, name: 'default' }), each);
    }
    await client.delete(serviceAccount, { namespace: 'two', name: 'default' });
    await fixture.run.settled();
    assert.ok(await client.get(serviceAccount, { namespace: 'two', name: 'default' }));
  });

  test('an account that cannot be changed gets one token, which it names when it can be', async () => {
    isStuck = true;
    await makeAccount();
    await fixture.pass(5000);
    assert.equal((await tokensOf('builder')).length, 1);
    isStuck = false;
    await fixture.pass(10_000);
    const { secrets = [] } = await client.get(serviceAccount, builder);
    assert.deepEqual((await tokensOf('builder')).map(nameOf), [{ namespace: 'one', name: secrets[0]?.name }]);
  });

  test('a namespace on its way out gets no account', async () => {
    await client.delete(namespace, { name: 'one' });
    await client.delete(serviceAccount, { namespace: 'one', name: 'default' });
    await fixture.run.settled();
    await assert.rejects(client.get(serviceAccount, { namespace: 'one', name: 'default' }), isGone);
  });

  test('an account has a secret with its token, its namespace and the certificate', async () => {
    const { metadata, secrets } = await makeAccount();
    const [token, ...more] = await tokensOf('builder');
    assert.deepEqual(more, []);
    assert.match(token?.metadata.name ?? '', /^builder-token-[a-z0-9]{5}$/);
    assert.deepEqual(secrets, [{ name: token?.metadata.name }]);
    assert.equal(token?.type, tokenType);
    assert.equal(token.metadata.annotations?.['kubernetes.io/service-account.uid'], metadata.uid);
    assert.equal(text(token.data?.['token']), `token of one/builder ${metadata.uid} in ${token.metadata.name}`);
    assert.equal(text(token.data?.['ca.crt']), 'certificate one');
    assert.equal(text(token.data?.['namespace']), 'one');
  });

  test('secrets that an account names already are kept beside its token', async () => {
    const { secrets } = await makeAccount([{ name: 'mine' }]);
    assert.equal(secrets?.length, 2);
    assert.equal(secrets[0]?.name, 'mine');
  });

  test('nothing is written when all is there', async () => {
    await makeAccount();
    const revision = await fixture.storage.revision();
    await fixture.run.close();
    const again = runControllers([defaultAccounts, tokens], fixture);
    await again.settled();
    await again.close();
    assert.equal(await fixture.storage.revision(), revision);
  });

  test('tokens go with their account, and one of the same name gets its own', async () => {
    await makeAccount();
    const [old] = await tokensOf('builder');
    await client.delete(serviceAccount, builder);
    await fixture.run.settled();
    assert.deepEqual(await tokensOf('builder'), []);
    const { metadata } = await makeAccount();
    const [token] = await tokensOf('builder');
    assert.notEqual(token?.metadata.uid, old?.metadata.uid);
    assert.match(text(token?.data?.['token']), new RegExp(metadata.uid!));
  });

  test('a deleted token is struck from its account and made anew', async () => {
    await makeAccount();
    const [old] = await tokensOf('builder');
    await client.delete(secret, nameOf(old!));
    await fixture.run.settled();
    const [token] = await tokensOf('builder');
    const { secrets } = await client.get(serviceAccount, builder);
    assert.notEqual(token?.metadata.name, old?.metadata.name);
    assert.deepEqual(secrets, [{ name: token?.metadata.name }]);
  });

  test('a token secret that a user makes is filled in', async () => {
    const { metadata, secrets } = await makeAccount();
    const made = await makeTokenSecret('further', 'builder');
    const { data, metadata: filled } = await client.get(secret, nameOf(made));
    assert.equal(text(data?.['token']), `token of one/builder ${metadata.uid} in further`);
    assert.deepEqual(Object.keys(data ?? {}).sort(), ['ca.crt', 'namespace', 'token']);
    assert.equal(filled.annotations?.['kubernetes.io/service-account.uid'], metadata.uid);
    assert.deepEqual((await client.get(serviceAccount, builder)).secrets, secrets);
  });

  test('a token secret for an account that is not there is removed, other secrets are not', async () => {
    const made = await makeTokenSecret('stray', 'nobody');
    await assert.rejects(client.get(secret, nameOf(made)), isGone);
    const plain = await client.create(secret, { ...secret.example, metadata: { name: 'plain', namespace: 'one' } });
    await fixture.run.settled();
    assert.ok(await client.get(secret, nameOf(plain)));
  });

  test('a new certificate of the server is put into every token secret at the next look', async () => {
    await makeAccount();
    const [before] = await tokensOf('builder');
    authority = 'certificate two';
    await fixture.run.close();
    const again = runControllers([tokens], fixture);
    await again.settled();
    await again.close();
    const [after] = await tokensOf('builder');
    assert.equal(text(after?.data?.['ca.crt']), 'certificate two');
    assert.equal(after?.data?.['token'], before?.data?.['token']);
  });
});

test('an account gets one token while its secret is not yet seen', async (t) => {
  const fixture = await openClient();
  const { registry, client } = fixture;
  const lagging = new LaggingClient({ registry, user: { name: 'tester', groups: [] }, freezesShared: true }, secret);
  const run = runControllers([accountTokens({ issueToken: () => 'token' })], { ...fixture, client: lagging });
  t.after(async () => {
    await run.close();
    await fixture.close();
  });
  await run.settled();
  lagging.hold();
  await client.create(serviceAccount, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: builder });
  for (let turn = 0; turn < 3; turn++) {
    await run.settled();
    await client.patch(serviceAccount, builder, { merge: { metadata: { annotations: { turn: `${turn}` } } } });
  }
  await run.settled();
  lagging.release();
  await run.settled();
  assert.equal((await client.list(secret)).items.length, 1);
});
