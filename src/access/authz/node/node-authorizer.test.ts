import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { node as nodeKind } from '../../../kinds/core/node.ts';
import { persistentVolumeClaim } from '../../../kinds/core/persistent-volume-claim.ts';
import { persistentVolume } from '../../../kinds/core/persistent-volume.ts';
import { pod } from '../../../kinds/core/pod.ts';
import { servedVersions } from '../../../kinds/served-version.ts';
import type { User } from '../../../registry/write.ts';
import { refusedWith } from '../../admission/testing/open-admission.ts';
import { openBench, user, type AccessBench } from '../../testing/open-bench.ts';
import type { RequestAction } from '../request-action.ts';

const n1 = user('system:node:n1', 'system:nodes');

function podBody(name: string, nodeName: string | undefined, spec: object = {}): object {
  const containers = [{ name: 'c', image: 'busybox', ...(spec as { container?: object }).container }];
  const { container: _container, ...rest } = spec as { container?: object };
  return { metadata: { name }, spec: { nodeName, containers, ...rest } };
}

async function allows(
  bench: AccessBench,
  words: string,
  extra: Partial<RequestAction> = {},
  who = n1,
): Promise<boolean> {
  const [verb = '', resources = '', name] = words.split(' ');
  const [resource = '', subresource] = resources.split('/');
  const action = { verb, path: '', group: '', resource, subresource, namespace: 'one', name, ...extra };
  return (await bench.authorizer.authorize(who, action)).allowed;
}

const full = {
  imagePullSecrets: [{ name: 'pull' }],
  serviceAccountName: 'robot',
  container: {
    env: [
      { name: 'A', valueFrom: { secretKeyRef: { name: 'env-secret', key: 'k' } } },
      { name: 'B', valueFrom: { configMapKeyRef: { name: 'env-map', key: 'k' } } },
    ],
  },
  volumes: [
    { name: 'a', secret: { secretName: 'volume-secret' } },
    { name: 'b', configMap: { name: 'volume-map' } },
    { name: 'c', persistentVolumeClaim: { claimName: 'claim' } },
    { name: 'd', rbd: { monitors: ['m'], image: 'i', secretRef: { name: 'rbd-secret' } } },
  ],
};

describe('the agent of a node', () => {
  test('reads and writes its own node, and no other', async () => {
    const bench = await openBench();
    for (const verb of ['get', 'update', 'patch', 'delete', 'list', 'watch']) {
      assert.equal(await allows(bench, `${verb} nodes n1`), true, verb);
      assert.equal(await allows(bench, `${verb} nodes n2`), false, verb);
      assert.equal(await allows(bench, `${verb} nodes`), false, verb);
    }
    assert.equal(await allows(bench, 'patch nodes/status n1'), true);
    assert.equal(await allows(bench, 'patch nodes/status n2'), false);
    assert.equal(await allows(bench, 'get nodes/proxy n1'), false);
    assert.equal(await allows(bench, 'deletecollection nodes n1'), false);
  });

  test('lists the pods of its node, and reads and ends only those', async () => {
    const bench = await openBench();
    await bench.create(pod, podBody('mine', 'n1'));
    await bench.create(pod, podBody('theirs', 'n2'));
    await bench.create(pod, podBody('waiting', undefined));
    const fields = (node: string): Partial<RequestAction> => ({ fields: new Map([['spec.nodeName', node]]) });
    for (const verb of ['list', 'watch']) {
      assert.equal(await allows(bench, `${verb} pods`, { namespace: undefined, ...fields('n1') }), true);
      assert.equal(await allows(bench, `${verb} pods`, { namespace: undefined, ...fields('n2') }), false);
      assert.equal(await allows(bench, `${verb} pods`, { namespace: undefined }), false);
    }
    assert.equal(await allows(bench, 'deletecollection pods', fields('n1')), false);
    for (const words of ['get pods', 'delete pods', 'update pods/status', 'patch pods/status']) {
      assert.equal(await allows(bench, `${words} mine`), true, words);
      assert.equal(await allows(bench, `${words} theirs`), false, words);
      assert.equal(await allows(bench, `${words} waiting`), false, words);
      assert.equal(await allows(bench, `${words} gone`), true, `${words}: that it is gone may be learnt`);
    }
    for (const words of ['update pods', 'patch pods', 'create pods/exec', 'create pods/binding', 'get pods/log']) {
      assert.equal(await allows(bench, `${words} mine`), false, words);
    }
  });

  test('reads what the pods on its node use, for as long as they are there', async () => {
    const bench = await openBench();
    await bench.create(pod, podBody('theirs', 'n2', full));
    const used = [
      ...['pull', 'env-secret', 'volume-secret', 'rbd-secret'].map((name) => `secrets ${name}`),
      'configmaps env-map',
      'configmaps volume-map',
      'persistentvolumeclaims claim',
      'serviceaccounts robot',
    ];
    const check = async (allowed: boolean): Promise<void> => {
      for (const words of used) {
        for (const verb of ['get', 'list', 'watch'])
          assert.equal(await allows(bench, `${verb} ${words}`), allowed, words);
        for (const verb of ['create', 'update', 'patch', 'delete']) {
          assert.equal(await allows(bench, `${verb} ${words}`), false, `${verb} ${words}`);
        }
        assert.equal(await allows(bench, `get ${words}`, { namespace: 'two' }), false);
      }
      assert.equal(await allows(bench, 'create serviceaccounts/token robot'), allowed);
    };
    await check(false);
    await bench.create(pod, podBody('mine', 'n1', full));
    await bench.create(pod, podBody('mine-too', 'n1', full));
    await check(true);
    assert.equal(await allows(bench, 'list secrets'), false);
    assert.equal(await allows(bench, 'get secrets other'), false);
    await removeNow(bench, 'mine');
    await check(true);
    await removeNow(bench, 'mine-too');
    await check(false);
  });

  test('reads volumes and their secrets through the claims of its pods', async () => {
    const bench = await openBench();
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'v' };
    await bench.create(persistentVolumeClaim, { metadata: { name: 'claim' }, spec });
    const source = { rbd: { monitors: ['m'], image: 'i', secretRef: { name: 'driver' } } };
    const claimRef = { namespace: 'one', name: 'claim' };
    const capacity = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
    await bench.create(persistentVolume, { metadata: { name: 'v' }, spec: { ...capacity, ...source, claimRef } });
    await bench.create(persistentVolume, { metadata: { name: 'w' }, spec: { ...capacity, ...source } });
    const volume = { namespace: undefined };
    assert.equal(await allows(bench, 'get persistentvolumes v', volume), false);
    assert.equal(await allows(bench, 'get secrets driver'), false);
    await bench.create(pod, podBody('mine', 'n1', full));
    assert.equal(await allows(bench, 'get persistentvolumes v', volume), true);
    assert.equal(await allows(bench, 'get persistentvolumes w', volume), false);
    assert.equal(await allows(bench, 'get persistentvolumes none', volume), false);
    assert.equal(await allows(bench, 'update persistentvolumes v', volume), false);
    assert.equal(await allows(bench, 'get secrets driver'), true);
  });

  test('gains nothing by mirror pods, which it makes itself', async () => {
    const bench = await openBench();
    const body = podBody('mirror', 'n1', full) as { metadata: object };
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    await bench.create(pod, { ...body, metadata: { ...body.metadata, annotations } });
    assert.equal(await allows(bench, 'get pods mirror'), true);
    assert.equal(await allows(bench, 'get secrets pull'), false);
  });

  test('sees services and endpoints, writes events, and asks who somebody is', async () => {
    const bench = await openBench();
    for (const words of ['list services', 'watch endpoints', 'create events', 'patch events']) {
      assert.equal(await allows(bench, words), true, words);
    }
    assert.equal(await allows(bench, 'create tokenreviews', { group: 'authentication.k8s.io' }), true);
    assert.equal(await allows(bench, 'create tokenreviews'), false);
    for (const words of ['update services', 'list events', 'list namespaces', 'create nodes/proxy']) {
      assert.equal(await allows(bench, words), false, words);
    }
  });

  test('is only who is called so and is in the group', async () => {
    const bench = await openBench();
    const others: User[] = [user('system:node:n1'), user('n1', 'system:nodes'), user('system:node:', 'system:nodes')];
    for (const other of others) assert.equal(await allows(bench, 'get nodes n1', {}, other), false, other.name);
    assert.notEqual((await bench.authorizer.rightsOf(n1, 'one')).incomplete, undefined);
    assert.equal((await bench.authorizer.rightsOf(user('jane'), 'one')).incomplete, undefined);
  });
});

async function removeNow(bench: AccessBench, name: string): Promise<void> {
  const served = servedVersions(pod)[0]!;
  const request = { user: n1, dryRun: false, body: { gracePeriodSeconds: 0 } };
  await bench.registry.delete({ served, namespace: 'one', name }, request);
}

describe('what the agent of a node writes', () => {
  const mirror = { 'kubernetes.io/config.mirror': 'x' };
  const mirrorPod = (nodeName: string, spec: object = {}): object => {
    const body = podBody('mirror', nodeName, spec) as { metadata: object };
    return { ...body, metadata: { ...body.metadata, annotations: mirror } };
  };

  test('is its own node', async () => {
    const bench = await openBench();
    await bench.create(nodeKind, { metadata: { name: 'n1' } }, n1);
    await bench.patch(nodeKind, 'n1', { metadata: { labels: { a: 'b' } } }, n1);
    await assert.rejects(bench.create(nodeKind, { metadata: { name: 'n2' } }, n1), refusedWith(403, 'n1'));
    await bench.create(nodeKind, { metadata: { name: 'n2' } });
    await assert.rejects(bench.patch(nodeKind, 'n2', { metadata: { labels: { a: 'b' } } }, n1), refusedWith(403));
  });

  test('is a mirror pod on its node that uses nothing', async () => {
    const bench = await openBench();
    await assert.rejects(bench.create(pod, podBody('p', 'n1'), n1), refusedWith(403, 'mirror'));
    await assert.rejects(bench.create(pod, mirrorPod('n2'), n1), refusedWith(403, 'n1'));
    const volumes = [{ name: 'a', secret: { secretName: 's' } }];
    await assert.rejects(bench.create(pod, mirrorPod('n1', { volumes }), n1), refusedWith(403, 'secrets/s'));
    await bench.create(pod, mirrorPod('n1'), n1);
  });
});
