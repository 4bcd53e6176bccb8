import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { pod } from '../../kinds/core/pod.ts';
import {
  secret,
  secretTypes,
  serviceAccountNameAnnotation,
  serviceAccountUidAnnotation,
} from '../../kinds/core/secret.ts';
import { serviceAccount, type ServiceAccount } from '../../kinds/core/service-account.ts';
import { tokenPath } from './account-token-mount.ts';
import { openAdmission, podBody, refusedWith, type AdmissionBench } from './testing/open-admission.ts';

async function openWith(name: string, parts: object = {}, annotations = {}): Promise<AdmissionBench> {
  const bench = openAdmission(['ServiceAccount']);
  await bench.create(serviceAccount, { metadata: { name, annotations }, ...parts });
  return bench;
}

function podWith(spec: object, metadata: object = {}) {
  const body = podBody('p');
  return { metadata: { ...body.metadata, ...metadata }, spec: { ...body.spec, ...spec } };
}

test('a pod without an account gets the default one', async () => {
  const bench = await openWith('default', { imagePullSecrets: [{ name: 'registry' }] });
  const { spec } = await bench.createPod('p');
  assert.equal(spec.serviceAccountName, 'default');
  assert.equal(spec.serviceAccount, 'default');
  assert.deepEqual(spec.imagePullSecrets, [{ name: 'registry' }]);
});

test('the old field names the account as well', async () => {
  const bench = await openWith('builder');
  const { spec } = await bench.create(pod, podWith({ serviceAccount: 'builder' }));
  assert.equal(spec.serviceAccountName, 'builder');
});

test('secrets of its own keep the pod from getting those of the account', async () => {
  const bench = await openWith('default', { imagePullSecrets: [{ name: 'registry' }] });
  const { spec } = await bench.create(pod, podWith({ imagePullSecrets: [{ name: 'mine' }] }));
  assert.deepEqual(spec.imagePullSecrets, [{ name: 'mine' }]);
});

test('an account that is not there is refused with 403, a name that none can have with 422', async () => {
  const bench = await openWith('builder');
  await assert.rejects(bench.createPod('p'), refusedWith(403, 'no service account "default"'));
  await assert.rejects(bench.create(pod, podWith({ serviceAccountName: '\ud800/..' })), refusedWith(422));
});

test('pods that are there already are not looked at', async () => {
  const bench = await openWith('default');
  await bench.createPod('p');
  await bench.remove(serviceAccount, 'default');
  await bench.label(pod, 'p');
});

test('mirror pods stay as they are and may not refer to accounts or secrets', async () => {
  const bench = await openWith('default');
  const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
  const withSecret = { volumes: [{ name: 'v', secret: { secretName: 's' } }] };
  await assert.rejects(bench.create(pod, podWith(withSecret, mirror)), refusedWith(403, 'secrets'));
  await assert.rejects(
    bench.create(pod, podWith({ serviceAccountName: 'default' }, mirror)),
    refusedWith(403, 'account'),
  );
  const { spec } = await bench.create(pod, podWith({}, mirror));
  assert.equal(spec.serviceAccountName, undefined);
});

const strict = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
const referring: readonly [string, object][] = [
  ['a volume', { volumes: [{ name: 'v', secret: { secretName: 'other' } }] }],
  [
    'a variable',
    {
      containers: [
        {
          name: 'a',
          image: 'a:1',
          env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }],
        },
      ],
    },
  ],
  ['fetching images', { imagePullSecrets: [{ name: 'other' }] }],
];
for (const [where, spec] of referring) {
  test(`a strict account refuses a secret for ${where} that it does not list`, async () => {
    const listed = { secrets: [{ name: 'other' }], imagePullSecrets: [{ name: 'other' }] };
    await (await openWith('default', listed, strict)).create(pod, podWith(spec));
    await (await openWith('default', {}, {})).create(pod, podWith(spec));
    const bench = await openWith('default', { secrets: [{ name: 'known' }] }, strict);
    await assert.rejects(bench.create(pod, podWith(spec)), refusedWith(403, 'secret "other"'));
  });
}

/** What the token controller does for an account. */
async function giveToken(bench: AdmissionBench, account: ServiceAccount): Promise<void> {
  const { name = '', uid = '' } = account.metadata;
  const annotations = { [serviceAccountNameAnnotation]: name, [serviceAccountUidAnnotation]: uid };
  const type = secretTypes.serviceAccountToken;
  await bench.create(secret, { metadata: { name: `${name}-token`, annotations }, type });
  await bench.replace(serviceAccount, { metadata: { name }, secrets: [{ name: `${name}-token` }] });
}

test('the token of the account is put into every container that has nothing of its own there', async () => {
  const bench = openAdmission(['ServiceAccount']);
  await giveToken(bench, await bench.create(serviceAccount, { metadata: { name: 'default' } }));
  const own = { name: 'mine', mountPath: tokenPath };
  const containers = [
    { name: 'bare', image: 'x' },
    { name: 'own', image: 'x', volumeMounts: [own] },
  ];
  const volumes = [{ name: 'mine', emptyDir: {} }];
  const { spec } = await bench.create(pod, { metadata: { name: 'p' }, spec: { containers, volumes } });
  assert.deepEqual(spec.containers[0]?.volumeMounts, [{ name: 'default-token', readOnly: true, mountPath: tokenPath }]);
  assert.deepEqual(spec.containers[1]?.volumeMounts, [own]);
  assert.deepEqual(spec.volumes?.[1], { name: 'default-token', secret: { secretName: 'default-token' } });
});

test('a secret that says another account is no token of this one', async () => {
  const bench = openAdmission(['ServiceAccount']);
  const account = await bench.create(serviceAccount, { metadata: { name: 'default' } });
  await giveToken(bench, { ...account, metadata: { ...account.metadata, uid: 'another' } });
  const { spec } = await bench.createPod('p');
  assert.equal(spec.volumes, undefined);
});

test('a pod waits for an account and a token that are just being made', async () => {
  const clock = new SteppedClock();
  const bench = openAdmission(['ServiceAccount'], undefined, { clock, expectsTokens: true });
  const creating = bench.createPod('p');
  const account = await bench.create(serviceAccount, { metadata: { name: 'default' } });
  await giveToken(bench, account);
  const { spec } = await creating;
  assert.equal(spec.volumes?.[0]?.secret?.secretName, 'default-token');
});

test('a pod does not wait for ever', async () => {
  const clock = new SteppedClock();
  const bench = openAdmission(['ServiceAccount'], undefined, { clock, expectsTokens: true });
  const creating = assert.rejects(bench.createPod('p'), refusedWith(403, 'no service account'));
  await bench.storage.revision();
  clock.step(2000);
  await creating;
});
