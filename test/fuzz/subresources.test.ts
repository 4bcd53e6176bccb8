import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { binding } from '../../src/kinds/core/binding.ts';
import { namespace as namespaceKind } from '../../src/kinds/core/namespace.ts';
import { autoscalingScale } from '../../src/kinds/extensions/autoscaling-scale.ts';
import { deploymentRollback } from '../../src/kinds/extensions/deployment-rollback.ts';
import { scale } from '../../src/kinds/extensions/scale.ts';
import { kinds } from '../../src/kinds/index.ts';
import { servedVersions } from '../../src/kinds/served-version.ts';
import { patchTypes } from '../../src/registry/patch/patch.ts';
import type { ObjectSchema } from '../../src/schema/schema.ts';
import { applyEdits, breakingEdit, strangeValue, typedEdit } from '../../src/schema/testing/edit.ts';
import { fuzzRuns } from '../../src/schema/testing/fuzz-runs.ts';
import { openFuzzCluster, type FuzzCluster } from './fuzz-cluster.ts';

let cluster: FuzzCluster;
let names = 0;

before(async () => {
  cluster = await openFuzzCluster();
});
after(() => cluster.close());

/** Bodies around a good one, and some that are nothing of the kind. */
function bodies(schema: ObjectSchema, good: (name: string) => object): fc.Arbitrary<(name: string) => unknown> {
  const edits = fc.array(fc.oneof(typedEdit(schema), breakingEdit(schema)), { maxLength: 4 });
  return fc.oneof(
    { weight: 5, arbitrary: edits.map((changes) => (name: string) => applyEdits(good(name), changes)) },
    { weight: 1, arbitrary: strangeValue.map((value) => () => value) },
  );
}

/** A fresh object of the kind; gives its path and name. */
async function create(resource: string): Promise<{ path: string; name: string }> {
  const kind = kinds.find((each) => each.resource === resource)!;
  const { prefix } = servedVersions(kind)[0]!;
  const collection = `${prefix}${kind.namespaced ? '/namespaces/default' : ''}/${resource}`;
  const name = `f${++names}`;
  const body = { ...kind.example, metadata: { ...kind.example.metadata, name } };
  assert.equal((await cluster.call('POST', collection, body)).code, 200);
  return { path: `${collection}/${name}`, name };
}

/** What is there still reads, and can be written back unchanged. */
async function checkStored(path: string): Promise<void> {
  const { code, body } = await cluster.call('GET', path);
  if (code === 404) return;
  const written = await cluster.call('PUT', path, body);
  assert.deepEqual(written.body, body);
}

const scales = [
  { prefix: '/apis/extensions/v1beta1', resource: 'replicationcontrollers', schema: scale },
  { prefix: '/apis/extensions/v1beta1', resource: 'replicasets', schema: scale },
  { prefix: '/apis/extensions/v1beta1', resource: 'deployments', schema: scale },
  { prefix: '/api/v1', resource: 'replicationcontrollers', schema: autoscalingScale },
  { prefix: '/apis/apps/v1', resource: 'deployments', schema: autoscalingScale },
];
for (const { prefix, resource, schema } of scales) {
  test(`whatever is sent to the scale of ${resource} at ${prefix} is refused or carried out`, async () => {
    const good = (name: string): object => ({ metadata: { name, namespace: 'default' }, spec: { replicas: 3 } });
    const mediaType = fc.constantFrom(...Object.keys(patchTypes));
    const property = fc.asyncProperty(bodies(schema, good), mediaType, async (make, type) => {
      const { path, name } = await create(resource);
      const place = `${prefix}/namespaces/default/${resource}/${name}/scale`;
      await cluster.call('PUT', place, make(name));
      await cluster.call('PATCH', place, make(name), type);
      assert.equal((await cluster.call('GET', place)).body.kind, 'Scale');
      await checkStored(path);
    });
    await fc.assert(property, fuzzRuns(20));
  });
}

test('whatever is sent to bind a pod is refused or carried out', async () => {
  const good = (name: string): object => ({ metadata: { name }, target: { kind: 'Node', name: 'machine' } });
  const property = fc.asyncProperty(bodies(binding, good), async (make) => {
    const { path, name } = await create('pods');
    await cluster.call('POST', `${path}/binding`, make(name));
    await cluster.call('POST', '/api/v1/namespaces/default/bindings', make(name));
    await checkStored(path);
  });
  await fc.assert(property, fuzzRuns(40));
});

test('whatever is sent to roll back a deployment is refused or carried out', async () => {
  const good = (name: string): object => ({ name, rollbackTo: { revision: 1 } });
  const property = fc.asyncProperty(bodies(deploymentRollback, good), async (make) => {
    const { path, name } = await create('deployments');
    await cluster.call('POST', `${path}/rollback`, make(name));
    await checkStored(path);
  });
  await fc.assert(property, fuzzRuns(40));
});

test('whatever is sent to finalize a namespace is refused or carried out', async () => {
  const good = (name: string): object => ({ metadata: { name }, spec: { finalizers: [] } });
  const property = fc.asyncProperty(bodies(namespaceKind.schema, good), fc.boolean(), async (make, deleted) => {
    const { path, name } = await create('namespaces');
    if (deleted) await cluster.call('DELETE', path);
    await cluster.call('PUT', `${path}/finalize`, make(name));
    await checkStored(path);
    await cluster.call('DELETE', path);
  });
  await fc.assert(property, fuzzRuns(40));
});
