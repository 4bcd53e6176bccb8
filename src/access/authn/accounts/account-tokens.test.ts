import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pod } from '../../../kinds/core/pod.ts';
import { secret } from '../../../kinds/core/secret.ts';
import { serviceAccount } from '../../../kinds/core/service-account.ts';
import type { ApiObject } from '../../../kinds/meta/object-meta.ts';
import { openBench, type AccessBench } from '../../testing/open-bench.ts';
import type { BoundObject } from './account-claims.ts';
import { ensureAccountKeys } from './account-keys.ts';
import { AccountTokens } from './account-tokens.ts';
import { signJwt } from './jwt.ts';

const issuer = 'https://here';

function identityOf({ metadata }: ApiObject): BoundObject {
  return { name: metadata.name!, uid: metadata.uid! };
}

interface TokenBench extends AccessBench {
  readonly tokens: AccountTokens;
  readonly account: BoundObject;
}

async function openTokens(): Promise<TokenBench> {
  const bench = await openBench();
  const keys = await ensureAccountKeys(undefined);
  const tokens = new AccountTokens({ keys, storage: bench.storage, clock: bench.clock, issuer });
  return { ...bench, tokens, account: identityOf(await bench.create(serviceAccount, { metadata: { name: 'robot' } })) };
}

function boundClaims({ clock, account }: TokenBench): Parameters<AccountTokens['issueBoundToken']>[0] {
  const notBefore = Math.floor(clock.now() / 1000);
  return { namespace: 'one', account, audiences: [issuer], notBefore, expires: notBefore + 600 };
}

describe('a token with an end', () => {
  test('is its account, with the groups of accounts', async () => {
    const bench = await openTokens();
    const owner = await bench.tokens.identify(bench.tokens.issueBoundToken(boundClaims(bench)));
    assert.deepEqual(owner?.user, {
      name: 'system:serviceaccount:one:robot',
      uid: bench.account.uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:one', 'system:authenticated'],
    });
  });

  test('is nobody once it is over, or long before it begins', async () => {
    const bench = await openTokens();
    const token = bench.tokens.issueBoundToken(boundClaims(bench));
    bench.clock.step(599_000);
    assert.ok(await bench.tokens.identify(token));
    bench.clock.step(1000);
    assert.equal(await bench.tokens.identify(token), undefined);
    const later = { ...boundClaims(bench), notBefore: bench.clock.now() / 1000 + 90 };
    const early = bench.tokens.issueBoundToken({ ...later, expires: later.notBefore + 600 });
    assert.equal(await bench.tokens.identify(early), undefined);
    bench.clock.step(60_000);
    assert.ok(await bench.tokens.identify(early));
  });

  test('is nobody when its account is gone, also when another of its name is there', async () => {
    const bench = await openTokens();
    const token = bench.tokens.issueBoundToken(boundClaims(bench));
    assert.ok(await bench.tokens.identify(token));
    await bench.remove(serviceAccount, 'robot');
    assert.equal(await bench.tokens.identify(token), undefined);
    await bench.create(serviceAccount, { metadata: { name: 'robot' } });
    assert.equal(await bench.tokens.identify(token), undefined);
  });

  test('is nobody when the pod or secret is gone that it is bound to', async () => {
    const bench = await openTokens();
    const containers = [{ name: 'c', image: 'busybox' }];
    const bound = { pod: identityOf(await bench.create(pod, { metadata: { name: 'p' }, spec: { containers } })) };
    const kept = { secret: identityOf(await bench.create(secret, { metadata: { name: 's' } })) };
    const ofPod = bench.tokens.issueBoundToken({ ...boundClaims(bench), ...bound });
    const ofSecret = bench.tokens.issueBoundToken({ ...boundClaims(bench), ...kept });
    const owner = await bench.tokens.identify(ofPod);
    assert.deepEqual(owner?.user.extra, {
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': [bound.pod.uid],
    });
    assert.ok(await bench.tokens.identify(ofSecret));
    await bench.remove(pod, 'p');
    await bench.remove(secret, 's');
    assert.equal(await bench.tokens.identify(ofPod), undefined);
    assert.equal(await bench.tokens.identify(ofSecret), undefined);
  });

  test('is good for its audiences only', async () => {
    const bench = await openTokens();
    const vault = bench.tokens.issueBoundToken({ ...boundClaims(bench), audiences: ['vault', 'other'] });
    assert.equal(await bench.tokens.identify(vault), undefined);
    assert.deepEqual((await bench.tokens.identify(vault, ['vault', issuer]))?.audiences, ['vault']);
    const own = bench.tokens.issueBoundToken(boundClaims(bench));
    assert.equal(await bench.tokens.identify(own, ['vault']), undefined);
    assert.deepEqual((await bench.tokens.identify(own, [issuer]))?.audiences, [issuer]);
  });

  test('of another server, or with claims that make no sense, is nobody', async () => {
    const bench = await openTokens();
    const keys = await ensureAccountKeys(undefined);
    const { storage, clock } = bench;
    const other = new AccountTokens({ keys, storage, clock, issuer });
    const elsewhere = new AccountTokens({ keys, storage, clock, issuer: 'https://elsewhere' });
    assert.equal(await bench.tokens.identify(other.issueBoundToken(boundClaims(bench))), undefined);
    assert.ok(await other.identify(other.issueBoundToken(boundClaims(bench))));
    assert.equal(await other.identify(elsewhere.issueBoundToken(boundClaims(bench))), undefined);
    const good = { iss: issuer, aud: [issuer], nbf: 0, exp: 9e9 };
    const whole = { namespace: 'one', serviceaccount: bench.account };
    for (const claims of [
      {},
      { iss: issuer },
      { ...good },
      { ...good, 'kubernetes.io': 'x' },
      { ...good, 'kubernetes.io': { namespace: 'one' } },
      { ...good, 'kubernetes.io': { ...whole, pod: 'x' } },
      { ...good, exp: '9e9', 'kubernetes.io': whole },
      { ...good, aud: { 0: issuer }, 'kubernetes.io': whole },
      { iss: 'kubernetes/serviceaccount' },
    ]) {
      assert.equal(await other.identify(signJwt(claims, keys.signing)), undefined, JSON.stringify(claims));
    }
    assert.ok(await other.identify(signJwt({ ...good, 'kubernetes.io': whole }, keys.signing)));
  });
});

describe('a token that is kept in a secret', () => {
  test('is its account for as long as it stands there', async () => {
    const bench = await openTokens();
    const claims = { namespace: 'one', account: bench.account, secretName: 'robot-token' };
    const token = bench.tokens.issueServiceAccountToken(claims);
    assert.equal(await bench.tokens.identify(token), undefined);
    const data = { token: Buffer.from(token).toString('base64') };
    await bench.create(secret, { metadata: { name: 'robot-token' }, data });
    assert.equal((await bench.tokens.identify(token))?.user.name, 'system:serviceaccount:one:robot');
    assert.equal(await bench.tokens.identify(token, ['vault']), undefined);
    bench.clock.step(10 * 365 * 24 * 60 * 60 * 1000);
    assert.ok(await bench.tokens.identify(token));
    await bench.patch(secret, 'robot-token', { data: { token: Buffer.from(`${token}x`).toString('base64') } });
    assert.equal(await bench.tokens.identify(token), undefined);
    await bench.patch(secret, 'robot-token', { data });
    assert.ok(await bench.tokens.identify(token));
    await bench.remove(secret, 'robot-token');
    assert.equal(await bench.tokens.identify(token), undefined);
  });

  test('is nobody when its account is gone', async () => {
    const bench = await openTokens();
    const claims = { namespace: 'one', account: bench.account, secretName: 'robot-token' };
    const token = bench.tokens.issueServiceAccountToken(claims);
    const data = { token: Buffer.from(token).toString('base64') };
    await bench.create(secret, { metadata: { name: 'robot-token' }, data });
    await bench.remove(serviceAccount, 'robot');
    assert.equal(await bench.tokens.identify(token), undefined);
  });
});
