import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap } from '../../kinds/core/config-map.ts';
import { namespace } from '../../kinds/core/namespace.ts';
import { persistentVolume } from '../../kinds/core/persistent-volume.ts';
import { pod } from '../../kinds/core/pod.ts';
import { isNamespaceEnding } from '../../kinds/meta/api-error.ts';
import { serve, writeOptions } from '../../registry/testing/open-registry.ts';
import { openAdmission, refusedWith, type AdmissionBench } from './testing/open-admission.ts';

const map = { metadata: { name: 'm' } };

async function openNamespace(name = 'one'): Promise<AdmissionBench> {
  const bench = openAdmission(['NamespaceLifecycle']);
  await bench.registry.create({ served: serve(namespace) }, { ...writeOptions, body: { metadata: { name } } });
  return bench;
}

function removeNamespace(bench: AdmissionBench, name = 'one'): Promise<unknown> {
  return bench.registry.delete({ served: serve(namespace), name }, writeOptions);
}

test('in a namespace that is not there, that is what is missing', async () => {
  const bench = await openNamespace('other');
  const missing = refusedWith(404, 'namespaces "one" not found');
  await assert.rejects(bench.create(configMap, map), missing);
  await assert.rejects(bench.replace(configMap, map), missing);
  await assert.rejects(bench.remove(configMap, 'm'), missing);
});

test('kinds of the cluster need no namespace', async () => {
  const bench = openAdmission(['NamespaceLifecycle']);
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } };
  await bench.create(persistentVolume, { metadata: { name: 'v' }, spec });
});

test('a namespace on its way out takes nothing new, but what is there can be changed and deleted', async () => {
  const bench = await openNamespace();
  await bench.create(configMap, map);
  await removeNamespace(bench);
  const refused = bench.create(configMap, { metadata: { name: 'n' } });
  await assert.rejects(refused, refusedWith(403, 'is being deleted'));
  await assert.rejects(refused, isNamespaceEnding);
  await bench.label(configMap, 'm');
  await bench.remove(configMap, 'm');
});

test('a pod in a namespace on its way out gets no node any more', async () => {
  const bench = await openNamespace();
  await bench.createPod('p');
  await removeNamespace(bench);
  const body = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
  const bound = bench.registry.bind({ served: serve(pod), namespace: 'one' }, { ...writeOptions, body });
  await assert.rejects(bound, refusedWith(403, 'is being deleted'));
});

test('the namespace default cannot be deleted', async () => {
  const bench = await openNamespace('default');
  const refused = removeNamespace(bench, 'default');
  await assert.rejects(refused, refusedWith(403));
  await assert.rejects(refused, (error) => !isNamespaceEnding(error));
});
