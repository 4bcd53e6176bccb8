import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  ApiException,
  AppsV1Api,
  AutoscalingV1Api,
  BatchV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  VersionApi,
  Watch,
  makeInformer,
  setHeaderOptions,
  type V1ConfigMap,
  type V1Deployment,
  type V1Job,
  type V1Pod,
} from '@kubernetes/client-node';
import { deferred } from '../../src/base/deferred.ts';
import { openClientCluster, type ClientCluster } from './client-cluster.ts';

const limit = { timeout: 60_000 };
const namespace = 'default';

let cluster: ClientCluster;
const config = new KubeConfig();
let core: CoreV1Api;
let apps: AppsV1Api;
before(async () => {
  cluster = await openClientCluster();
  config.loadFromFile(cluster.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
  apps = config.makeApiClient(AppsV1Api);
});
after(() => cluster.close());

function settings(name: string, data: Record<string, string> = {}, labels?: Record<string, string>): V1ConfigMap {
  return { metadata: { name, labels }, data };
}

/** Both a deployment and a replica set can be made from it. */
interface Workload {
  metadata: { name: string; uid?: string };
  spec: {
    replicas: number;
    selector: { matchLabels: Record<string, string> };
    template: { metadata: { labels: Record<string, string> }; spec: { containers: { name: string; image: string }[] } };
  };
}

function deployment(name: string): Workload {
  const labels = { app: name };
  const spec = { containers: [{ name: 'main', image: 'web:1' }] };
  return {
    metadata: { name },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

async function refusal(attempt: Promise<unknown>): Promise<{ code: number; reason?: string; message?: string }> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiException, `not refused: ${String(error)}`);
  return { code: error.code, ...(JSON.parse(error.body as string) as object) };
}

/** Settles with the first value that `listen` hears and `wanted` takes. */
function heard<T>(listen: (tell: (value: T) => void) => void, wanted: (value: T) => boolean = () => true): Promise<T> {
  return new Promise((resolve) => listen((value) => wanted(value) && resolve(value)));
}

describe('the JavaScript client', limit, () => {
  test('asks for the version', async () => {
    const { major, gitVersion } = await config.makeApiClient(VersionApi).getCode();
    assert.equal(major, '1');
    assert.match(gitVersion, /^v1\./);
  });

  test('creates, reads, lists, replaces and deletes', async () => {
    const created = await core.createNamespacedConfigMap({ namespace, body: settings('first', { a: '1' }) });
    assert.ok(created.metadata?.uid);
    assert.ok(created.metadata.creationTimestamp instanceof Date);
    const read = await core.readNamespacedConfigMap({ name: 'first', namespace });
    assert.deepEqual(read, created);
    read.data = { a: '2' };
    const replaced = await core.replaceNamespacedConfigMap({ name: 'first', namespace, body: read });
    assert.deepEqual(replaced.data, { a: '2' });
    const { items } = await core.listNamespacedConfigMap({ namespace });
    assert.ok(items.some(({ metadata }) => metadata?.name === 'first'));
    const status = await core.deleteNamespacedConfigMap({ name: 'first', namespace });
    assert.equal(status.status, 'Success');
    assert.equal((await refusal(core.readNamespacedConfigMap({ name: 'first', namespace }))).code, 404);
  });

  test('chooses by labels and fields, and reads in parts', async () => {
    for (const name of ['part-1', 'part-2', 'part-3']) {
      await core.createNamespacedConfigMap({ namespace, body: settings(name, {}, { set: 'parts' }) });
    }
    const byField = await core.listNamespacedConfigMap({ namespace, fieldSelector: 'metadata.name=part-2' });
    assert.deepEqual(byField.items.map(({ metadata }) => metadata?.name), ['part-2']); // prettier-ignore
    const first = await core.listConfigMapForAllNamespaces({ labelSelector: 'set=parts', limit: 2 });
    assert.equal(first.items.length, 2);
    const { _continue } = first.metadata ?? {};
    const rest = await core.listConfigMapForAllNamespaces({ labelSelector: 'set=parts', limit: 2, _continue });
    assert.deepEqual(rest.items.map(({ metadata }) => metadata?.name), ['part-3']); // prettier-ignore
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'set in (parts)' });
    assert.equal((await core.listNamespacedConfigMap({ namespace, labelSelector: 'set' })).items.length, 0);
  });

  test('patches in three ways', async () => {
    await apps.createNamespacedDeployment({ namespace, body: deployment('patched') });
    const patch = (type: PatchStrategy, body: object): Promise<V1Deployment> =>
      apps.patchNamespacedDeployment({ name: 'patched', namespace, body }, setHeaderOptions('Content-Type', type));
    const merged = await patch(PatchStrategy.MergePatch, { spec: { replicas: 3 } });
    assert.equal(merged.spec?.replicas, 3);
    const sidecar = { name: 'sidecar', image: 'proxy:1' };
    const strategic = await patch(PatchStrategy.StrategicMergePatch, {
      spec: { template: { spec: { containers: [sidecar] } } },
    });
    const containers = strategic.spec?.template.spec?.containers.map(({ name }) => name);
    assert.deepEqual(containers?.toSorted(), ['main', 'sidecar']);
    const replaced = await patch(PatchStrategy.JsonPatch, [{ op: 'replace', path: '/spec/replicas', value: 1 }]);
    assert.equal(replaced.spec?.replicas, 1);
    assert.equal(replaced.metadata?.generation, 4);
  });

  test('tells refusals apart', async () => {
    await core.createNamespacedConfigMap({ namespace, body: settings('refused') });
    const again = await refusal(core.createNamespacedConfigMap({ namespace, body: settings('refused') }));
    assert.deepEqual([again.code, again.reason], [409, 'AlreadyExists']);
    const invalid = await refusal(core.createNamespacedConfigMap({ namespace, body: settings('Not_A_Name') }));
    assert.deepEqual([invalid.code, invalid.reason], [422, 'Invalid']);
    assert.match(invalid.message ?? '', /metadata\.name/);
    const stale = { metadata: { name: 'refused', resourceVersion: '1' } };
    const conflict = await refusal(core.replaceNamespacedConfigMap({ name: 'refused', namespace, body: stale }));
    assert.deepEqual([conflict.code, conflict.reason], [409, 'Conflict']);
  });

  test('works with apps/v1: scale, status and rollout fields', async () => {
    const created = await apps.createNamespacedDeployment({ namespace, body: deployment('scaled') });
    assert.equal(created.apiVersion, 'apps/v1');
    assert.equal(created.spec?.progressDeadlineSeconds, 600);
    const scale = await apps.readNamespacedDeploymentScale({ name: 'scaled', namespace });
    assert.equal(scale.status?.selector, 'app=scaled');
    scale.spec = { replicas: 5 };
    await apps.replaceNamespacedDeploymentScale({ name: 'scaled', namespace, body: scale });
    const status = await apps.readNamespacedDeploymentStatus({ name: 'scaled', namespace });
    assert.equal(status.spec?.replicas, 5);
    status.status = { observedGeneration: 2, conditions: [{ type: 'Available', status: 'True' }] };
    const written = await apps.replaceNamespacedDeploymentStatus({ name: 'scaled', namespace, body: status });
    assert.deepEqual(written.status?.conditions?.map(({ type }) => type), ['Available']); // prettier-ignore
    const open = deployment('open');
    open.spec.selector.matchLabels = {};
    assert.equal((await refusal(apps.createNamespacedDeployment({ namespace, body: open }))).code, 422);
  });

  test('works with batch/v1 and autoscaling/v1', async () => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'task:1' }] } };
    const job: V1Job = { metadata: { name: 'task' }, spec: { template } };
    const batch = config.makeApiClient(BatchV1Api);
    const created = await batch.createNamespacedJob({ namespace, body: job });
    const uid = created.metadata?.uid;
    assert.equal(created.spec?.selector?.matchLabels?.['controller-uid'], uid);
    await batch.deleteNamespacedJob({ name: 'task', namespace, propagationPolicy: 'Background' });
    const autoscaling = config.makeApiClient(AutoscalingV1Api);
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'scaled' };
    const autoscaler = await autoscaling.createNamespacedHorizontalPodAutoscaler({
      namespace,
      body: { metadata: { name: 'busy' }, spec: { scaleTargetRef, maxReplicas: 4 } },
    });
    assert.equal(autoscaler.spec?.targetCPUUtilizationPercentage, 80);
  });

  test('watches from where a list ended', async () => {
    const { metadata } = await core.listNamespacedConfigMap({ namespace });
    const query = { resourceVersion: metadata?.resourceVersion, labelSelector: 'watched=yes' };
    const events: string[] = [];
    const gone = deferred<void>();
    const onEvent = (phase: string, { data = {} }: V1ConfigMap): void => {
      events.push(`${phase} ${data['step'] ?? ''}`);
      if (phase === 'DELETED') gone.resolve();
    };
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const watching = await new Watch(config).watch(path, query, onEvent, () => gone.resolve());
    const labels = { watched: 'yes' };
    await core.createNamespacedConfigMap({ namespace, body: settings('watched', { step: '1' }, labels) });
    await core.replaceNamespacedConfigMap({
      name: 'watched',
      namespace,
      body: settings('watched', { step: '2' }, labels),
    });
    await core.deleteNamespacedConfigMap({ name: 'watched', namespace });
    await gone.promise;
    assert.deepEqual(events, ['ADDED 1', 'MODIFIED 2', 'DELETED 2']);
    watching.abort();
  });

  test('keeps a copy of what is there', async () => {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const create = (name: string): Promise<V1Pod> => {
      const spec = { containers: [{ name: 'main', image: 'web:1' }] };
      return core.createNamespacedPod({ namespace, body: { metadata: { name }, spec } });
    };
    await create('seen');
    const informer = makeInformer(config, path, () => core.listNamespacedPod({ namespace }));
    const on = (verb: 'add' | 'update' | 'delete', name: string): Promise<V1Pod> =>
      heard<V1Pod>((tell) => informer.on(verb, tell), ({ metadata }) => metadata?.name === name); // prettier-ignore
    const added = on('add', 'seen');
    await informer.start();
    await added;
    const later = on('add', 'later');
    await create('later');
    await later;
    const changed = on('update', 'later');
    await core.patchNamespacedPod(
      { name: 'later', namespace, body: { metadata: { labels: { changed: 'yes' } } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    assert.deepEqual((await changed).metadata?.labels, { changed: 'yes' });
    const gone = on('delete', 'seen');
    await core.deleteNamespacedPod({ name: 'seen', namespace });
    await gone;
    assert.deepEqual(informer.list(namespace).map(({ metadata }) => metadata?.name), ['later']); // prettier-ignore
    await informer.stop();
  });

  test('handles objects of any kind through discovery', async () => {
    const objects = KubernetesObjectApi.makeApiClient(config);
    const object = { apiVersion: 'apps/v1', kind: 'ReplicaSet', ...deployment('any') };
    const created = await objects.create(object);
    const read = await objects.read({ ...object, metadata: { name: 'any', namespace } });
    assert.equal(read.metadata?.uid, created.metadata?.uid);
    const patched = await objects.patch({ ...object, spec: { ...object.spec, replicas: 4 } });
    assert.equal(patched.spec.replicas, 4);
    const { items } = await objects.list('apps/v1', 'ReplicaSet', namespace);
    assert.deepEqual(items.map(({ metadata }) => metadata?.name), ['any']); // prettier-ignore
    await objects.delete(object);
    assert.equal((await refusal(objects.read({ ...object, metadata: { name: 'any', namespace } }))).code, 404);
  });
});
