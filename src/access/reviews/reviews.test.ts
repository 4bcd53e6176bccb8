import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pod } from '../../kinds/core/pod.ts';
import { secret } from '../../kinds/core/secret.ts';
import { serviceAccount } from '../../kinds/core/service-account.ts';
import type { TokenRequest } from '../../kinds/authentication/token-request.ts';
import type { TokenReview } from '../../kinds/authentication/token-review.ts';
import type { SelfSubjectReview } from '../../kinds/authentication/self-subject-review.ts';
import type { SelfSubjectRulesReview } from '../../kinds/authorization/self-subject-rules-review.ts';
import type { SubjectAccessReview } from '../../kinds/authorization/subject-access-review.ts';
import { answerBody, type QuestionKind } from '../../registry/answered-kind.ts';
import type { User } from '../../registry/write.ts';
import { refusedWith } from '../admission/testing/open-admission.ts';
import { ensureAccountKeys } from '../authn/accounts/account-keys.ts';
import { AccountTokens } from '../authn/accounts/account-tokens.ts';
import { openBench, user, type AccessBench } from '../testing/open-bench.ts';
import { accessReviews } from './access-reviews.ts';
import { selfReview, tokenReviews } from './identity-reviews.ts';
import { rulesReview } from './rules-review.ts';
import { tokenRequests } from './token-requests.ts';

const jane = user('jane');
const readPods = { verbs: ['list'], apiGroups: [''], resources: ['pods'] };

interface ReviewBench extends AccessBench {
  readonly tokens: AccountTokens;
  ask<T>(
    kind: string,
    body: object,
    options?: { as?: User; namespace?: string; name?: string; dryRun?: boolean },
  ): Promise<T>;
}

async function openReviews(): Promise<ReviewBench> {
  const bench = await openBench();
  const { storage, clock, authorizer } = bench;
  const tokens = new AccountTokens({
    keys: await ensureAccountKeys(undefined),
    storage,
    clock,
    issuer: 'https://here',
  });
  const kinds = [
    ...accessReviews(authorizer),
    rulesReview(authorizer),
    selfReview(),
    tokenReviews(tokens),
    tokenRequests({ tokens, storage, clock }),
  ] as QuestionKind[];
  return {
    ...bench,
    tokens,
    async ask<T>(kind: string, body: object, { as = jane, dryRun = false, ...place } = {}) {
      const answered = kinds.find((each) => each.kind.kind === kind)!;
      const request = { user: as, dryRun, fieldValidation: 'Strict', body } as const;
      const { object, code } = await answerBody(answered, place, request);
      assert.equal(code, 201);
      return object as T;
    },
  };
}

const listPods = { verb: 'list', resource: 'pods', namespace: 'one' };

describe('the question whether something is allowed', () => {
  test('is answered for the sender', async () => {
    const bench = await openReviews();
    await bench.grantIn('one', 'reader', [readPods], jane);
    const ask = async (spec: object): Promise<SubjectAccessReview['status']> =>
      (await bench.ask<SubjectAccessReview>('SelfSubjectAccessReview', { spec })).status;
    const yes = await ask({ resourceAttributes: listPods });
    assert.equal(yes?.allowed, true);
    assert.match(yes?.reason ?? '', /RoleBinding "one\/reader" gives the Role "reader"/);
    assert.deepEqual(await ask({ resourceAttributes: { ...listPods, namespace: 'two' } }), { allowed: false });
    assert.deepEqual(await ask({ resourceAttributes: { ...listPods, subresource: 'log' } }), { allowed: false });
    assert.deepEqual(await ask({ nonResourceAttributes: { path: '/metrics', verb: 'get' } }), { allowed: false });
  });

  test('is answered for whom it names, by user or by group', async () => {
    const bench = await openReviews();
    await bench.grant('reader', [readPods], jane);
    const ask = async (spec: object): Promise<boolean | undefined> =>
      (await bench.ask<SubjectAccessReview>('SubjectAccessReview', { spec: { resourceAttributes: listPods, ...spec } }))
        .status?.allowed;
    assert.equal(await ask({ user: 'jane' }), true);
    assert.equal(await ask({ user: 'john' }), false);
    assert.equal(await ask({ user: 'john', groups: ['system:masters'] }), true);
    assert.equal(await ask({ groups: ['builders'] }), false);
  });

  test('within a namespace is about that namespace', async () => {
    const bench = await openReviews();
    await bench.grantIn('one', 'reader', [readPods], jane);
    const ask = (spec: object): Promise<SubjectAccessReview> =>
      bench.ask('LocalSubjectAccessReview', { spec: { user: 'jane', ...spec } }, { namespace: 'one' });
    assert.equal((await ask({ resourceAttributes: listPods })).status?.allowed, true);
    await assert.rejects(ask({ resourceAttributes: { ...listPods, namespace: 'two' } }), refusedWith(422, 'namespace'));
    await assert.rejects(ask({ nonResourceAttributes: { path: '/', verb: 'get' } }), refusedWith(422, 'paths'));
  });

  test('must say what and who, once', async () => {
    const bench = await openReviews();
    const both = { resourceAttributes: listPods, nonResourceAttributes: { path: '/', verb: 'get' } };
    for (const [kind, spec] of [
      ['SelfSubjectAccessReview', {}],
      ['SelfSubjectAccessReview', both],
      ['SubjectAccessReview', { user: 'jane' }],
      ['SubjectAccessReview', { resourceAttributes: listPods }],
      ['SelfSubjectRulesReview', {}],
      ['TokenReview', {}],
    ] as const) {
      await assert.rejects(bench.ask(kind, { spec }), refusedWith(422), `${kind} ${JSON.stringify(spec)}`);
    }
    await assert.rejects(bench.ask('SubjectAccessReview', { kind: 'Pod' }), refusedWith(400));
  });
});

test('the rights of the sender are listed for a namespace', async () => {
  const bench = await openReviews();
  await bench.grantIn('one', 'reader', [readPods], jane);
  await bench.grant('metrics', [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }], jane);
  const { status } = await bench.ask<SelfSubjectRulesReview>('SelfSubjectRulesReview', { spec: { namespace: 'one' } });
  assert.deepEqual(JSON.parse(JSON.stringify(status)), {
    resourceRules: [readPods],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }],
    incomplete: false,
  });
});

test('senders are told who they are taken for', async () => {
  const bench = await openReviews();
  const as = { ...jane, uid: '7', extra: { scopes: ['a'] } };
  const { status } = await bench.ask<SelfSubjectReview>('SelfSubjectReview', {}, { as });
  assert.deepEqual(status?.userInfo, { username: 'jane', uid: '7', groups: jane.groups, extra: { scopes: ['a'] } });
});

describe('a token that is asked for', () => {
  const place = { namespace: 'one', name: 'robot' };

  test('is that of its account, for as long as was asked', async () => {
    const bench = await openReviews();
    await bench.create(serviceAccount, { metadata: { name: 'robot' } });
    const spec = { expirationSeconds: 600 };
    const { status, metadata } = await bench.ask<TokenRequest>('TokenRequest', { spec }, place);
    assert.equal(metadata.name, 'robot');
    assert.equal(Date.parse(status?.expirationTimestamp ?? ''), bench.clock.now() + 600_000);
    const review = { spec: { token: status?.token } };
    const good = await bench.ask<TokenReview>('TokenReview', review);
    assert.equal(good.status?.authenticated, true);
    assert.equal(good.status.user?.username, 'system:serviceaccount:one:robot');
    bench.clock.step(600_000);
    assert.deepEqual((await bench.ask<TokenReview>('TokenReview', review)).status, { authenticated: false });
  });

  test('is for the audiences that were asked for', async () => {
    const bench = await openReviews();
    await bench.create(serviceAccount, { metadata: { name: 'robot' } });
    const spec = { audiences: ['vault'] };
    const { status } = await bench.ask<TokenRequest>('TokenRequest', { spec }, place);
    const ask = async (audiences?: string[]): Promise<TokenReview['status']> =>
      (await bench.ask<TokenReview>('TokenReview', { spec: { token: status?.token, audiences } })).status;
    assert.equal((await ask())?.authenticated, false);
    assert.deepEqual((await ask(['vault', 'x']))?.audiences, ['vault']);
  });

  test('can be bound to a pod of the account or to a secret', async () => {
    const bench = await openReviews();
    await bench.create(serviceAccount, { metadata: { name: 'robot' } });
    const containers = [{ name: 'c', image: 'busybox' }];
    const own = await bench.create(pod, {
      metadata: { name: 'own' },
      spec: { containers, serviceAccountName: 'robot' },
    });
    await bench.create(pod, { metadata: { name: 'other' }, spec: { containers } });
    await bench.create(secret, { metadata: { name: 's' } });
    const ask = (boundObjectRef: object): Promise<TokenRequest> =>
      bench.ask('TokenRequest', { spec: { boundObjectRef } }, place);
    const { status } = await ask({ kind: 'Pod', name: 'own', uid: own.metadata.uid });
    const token = status?.token ?? '';
    assert.ok(await bench.tokens.identify(token));
    await bench.remove(pod, 'own');
    assert.equal(await bench.tokens.identify(token), undefined);
    assert.ok((await ask({ kind: 'Secret', name: 's' })).status?.token);
    await assert.rejects(ask({ kind: 'Pod', name: 'other' }), refusedWith(400, 'does not run as'));
    await assert.rejects(ask({ kind: 'Pod', name: 'gone' }), refusedWith(404, 'pods "gone"'));
    await assert.rejects(ask({ kind: 'Secret', name: 's', uid: 'x' }), refusedWith(409, 'another uid'));
    await assert.rejects(ask({ kind: 'Node', name: 'n' }), refusedWith(422, 'kind'));
    await assert.rejects(ask({ kind: 'Pod' }), refusedWith(422, 'name'));
  });

  test('is refused without an account, and for too short or too long a time', async () => {
    const bench = await openReviews();
    await assert.rejects(bench.ask('TokenRequest', {}, place), refusedWith(404, 'serviceaccounts "robot"'));
    await bench.create(serviceAccount, { metadata: { name: 'robot' } });
    for (const expirationSeconds of [-1, 0, 599, 2 ** 32 + 1]) {
      const spec = { expirationSeconds };
      await assert.rejects(bench.ask('TokenRequest', { spec }, place), refusedWith(422, 'expirationSeconds'));
    }
    const named = { metadata: { name: 'other' } };
    await assert.rejects(bench.ask('TokenRequest', named, place), refusedWith(400, 'other'));
  });

  test('is not made in a dry run', async () => {
    const bench = await openReviews();
    await bench.create(serviceAccount, { metadata: { name: 'robot' } });
    const { status } = await bench.ask<TokenRequest>('TokenRequest', {}, { ...place, dryRun: true });
    assert.equal(status?.token, undefined);
  });

  test('by the agent of a node is bound to a pod there', async () => {
    const bench = await openReviews();
    await bench.create(serviceAccount, { metadata: { name: 'robot' } });
    const spec = { containers: [{ name: 'c', image: 'busybox' }], serviceAccountName: 'robot', nodeName: 'n1' };
    const { metadata } = await bench.create(pod, { metadata: { name: 'own' }, spec });
    const ask = (boundObjectRef: object | undefined, node: string): Promise<TokenRequest> => {
      const as = user(`system:node:${node}`, 'system:nodes');
      return bench.ask('TokenRequest', { spec: { boundObjectRef } }, { ...place, as });
    };
    const own = { kind: 'Pod', name: 'own', uid: metadata.uid };
    assert.ok((await ask(own, 'n1')).status?.token);
    await assert.rejects(ask(own, 'n2'), refusedWith(403, 'n2'));
    await assert.rejects(ask(undefined, 'n1'), refusedWith(403));
    await assert.rejects(ask({ ...own, uid: undefined }, 'n1'), refusedWith(403));
  });
});
