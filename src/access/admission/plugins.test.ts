import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { configMap } from '../../kinds/core/config-map.ts';
import { namespace } from '../../kinds/core/namespace.ts';
import { pod } from '../../kinds/core/pod.ts';
import { serve, writeOptions } from '../../registry/testing/open-registry.ts';
import { openMemoryStorage } from '../../storage/memory/memory-storage.ts';
import { admissionChain, admissionPluginNames, admissionWithAccounts, defaultAdmission } from './plugins.ts';
import { openAdmission, podBody, refusedWith } from './testing/open-admission.ts';

const storage = openMemoryStorage({ clock: new SteppedClock() });

test('every plugin is found under its own name, in the order asked for', () => {
  const names = admissionPluginNames.toReversed();
  assert.deepEqual(
    admissionChain(names, { storage }).map(({ name }) => name),
    names,
  );
});

test('a server on its own has no accounts to hold pods to', () => {
  assert.deepEqual(
    defaultAdmission,
    admissionWithAccounts.filter((name) => name !== 'ServiceAccount'),
  );
  assert.equal(admissionChain(admissionWithAccounts, { storage }).length, 4);
});

for (const unknown of ['LimitRange', 'toString', '']) {
  test(`the unknown name "${unknown}" is refused with a list of the known ones`, () => {
    assert.throws(() => admissionChain(['LimitRanger', unknown], { storage }), {
      name: 'RangeError',
      message: new RegExp(`"${unknown}".*${admissionPluginNames.join(', ')}`),
    });
  });
}

test('AlwaysAdmit lets everything pass and AlwaysDeny nothing but what the server makes', async () => {
  const open = openAdmission(['AlwaysAdmit']);
  await open.create(configMap, { metadata: { name: 'm' } });
  const closed = openAdmission(['AlwaysDeny'], open.storage);
  await assert.rejects(closed.create(configMap, { metadata: { name: 'n' } }), refusedWith(403));
  await assert.rejects(closed.label(configMap, 'm'), refusedWith(403));
  await assert.rejects(closed.remove(configMap, 'm'), refusedWith(403));
  const server = { ...writeOptions, user: { name: 'system:apiserver', groups: [] } };
  await closed.registry.create({ served: serve(namespace) }, { ...server, body: { metadata: { name: 'default' } } });
});

test('AlwaysPullImages has every image of a new pod fetched anew', async () => {
  const bench = openAdmission(['AlwaysPullImages']);
  const body = podBody('p', {}, {});
  Object.assign(body.spec.containers[1]!, { imagePullPolicy: 'Never' });
  const { spec } = await bench.create(pod, body);
  assert.deepEqual(
    spec.containers.map(({ imagePullPolicy }) => imagePullPolicy),
    ['Always', 'Always'],
  );
  assert.deepEqual((await bench.replace(pod, body)).spec, spec);
});

test('AlwaysPullImages leaves older pods changeable', async () => {
  const before = openAdmission([]);
  await before.createPod('p');
  await openAdmission(['AlwaysPullImages'], before.storage).label(pod, 'p');
});

const chosen: readonly [string, object][] = [
  ['spec.securityContext.supplementalGroups', { securityContext: { supplementalGroups: [1] } }],
  ['spec.securityContext.seLinuxOptions', { securityContext: { seLinuxOptions: { user: 'u' } } }],
  ['spec.securityContext.runAsUser', { securityContext: { runAsUser: 0 } }],
  ['spec.securityContext.fsGroup', { securityContext: { fsGroup: 1 } }],
];
for (const [field, spec] of chosen) {
  test(`SecurityContextDeny refuses ${field}`, async () => {
    const bench = openAdmission(['SecurityContextDeny']);
    const body = podBody('p');
    await assert.rejects(bench.create(pod, { ...body, spec: { ...body.spec, ...spec } }), refusedWith(403, field));
  });
}

test('SecurityContextDeny names every field of every container, and lets others be', async () => {
  const bench = openAdmission(['SecurityContextDeny']);
  const body = podBody('p', {}, {});
  Object.assign(body.spec.containers[0]!, { securityContext: { privileged: true, runAsNonRoot: true } });
  await bench.create(pod, body);
  const contexts = [{ runAsUser: 1 }, { seLinuxOptions: { level: 'l' } }];
  body.spec.containers.forEach((container, i) => Object.assign(container, { securityContext: contexts[i] }));
  await assert.rejects(
    bench.create(pod, { ...body, metadata: { name: 'q' } }),
    refusedWith(403, 'containers[0].securityContext.runAsUser', 'containers[1].securityContext.seLinuxOptions'),
  );
});
