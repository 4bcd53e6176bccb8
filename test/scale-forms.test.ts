import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { jsonPatch, mergePatch, strategicPatch, type AnswerBody } from '../src/server/testing/http-client.ts';
import { namespace, openScene, type Scene } from './contract/scene.ts';

const limit = { timeout: 60_000 };
let scene: Scene;
before(async () => {
  scene = await openScene();
});
after(() => scene.close());

interface ScaleBody extends AnswerBody {
  spec?: { replicas?: number };
  status: { replicas: number; selector?: unknown; targetSelector?: string };
}

async function call(method: string, path: string, sent: object = {}, code = 200): Promise<ScaleBody> {
  const answer = await scene.send(method, path, sent);
  assert.equal(answer.code, code, answer.text);
  return answer.json() as ScaleBody;
}

function causesOf({ details }: AnswerBody): string[] {
  const { causes } = details as { causes: { field: string; reason: string }[] };
  return causes.map(({ field, reason }) => `${field} ${reason}`);
}

/** Where workloads have a scale of autoscaling/v1, and the text that selects the pods of their examples. */
const places = [
  { prefix: '/apis/apps/v1', resource: 'deployments', selector: 'app=web' },
  { prefix: '/apis/apps/v1', resource: 'replicasets', selector: 'app=web' },
  { prefix: '/api/v1', resource: 'replicationcontrollers', selector: 'app=web' },
];

for (const { prefix, resource, selector } of places) {
  describe(`the scale of ${resource} at ${prefix}`, limit, () => {
    async function create(): Promise<{ path: string; inExtensions: string; name: string }> {
      const name = scene.freshName();
      await scene.create(resource, name);
      const rest = `/namespaces/${namespace}/${resource}/${name}/scale`;
      return { path: prefix + rest, inExtensions: `/apis/extensions/v1beta1${rest}`, name };
    }

    test('says in text which pods are counted, and in the extensions group also as labels', async () => {
      const { path, inExtensions } = await create();
      const scale = await call('GET', path);
      assert.deepEqual([scale.kind, scale.apiVersion], ['Scale', 'autoscaling/v1']);
      assert.equal(scale.metadata.selfLink, path);
      assert.deepEqual(scale.status, { replicas: 0, selector });
      const older = await call('GET', inExtensions);
      assert.equal(older.apiVersion, 'extensions/v1beta1');
      assert.equal(older.metadata.selfLink, inExtensions);
      assert.deepEqual(older.status, { replicas: 0, selector: { app: 'web' }, targetSelector: selector });
      assert.deepEqual(older.spec, scale.spec);
    });

    test('is set by PUT and by each kind of patch', async () => {
      const { path } = await create();
      const scale = await call('GET', path);
      const replicas = async (): Promise<unknown> => (await call('GET', path)).spec?.replicas;
      const changed = await call('PUT', path, { body: { ...scale, spec: { replicas: 5 } } });
      assert.equal(changed.spec?.replicas, 5);
      assert.notEqual(changed.metadata.resourceVersion, scale.metadata.resourceVersion);
      const conflict = await call('PUT', path, { body: { ...scale, spec: { replicas: 6 } } }, 409);
      assert.equal((conflict.details as { kind: string }).kind, resource);
      assert.equal(await replicas(), 5);
      await call('PUT', path, { body: { metadata: { name: scale.metadata.name, namespace }, spec: { replicas: 7 } } });
      assert.equal(await replicas(), 7);
      await call('PATCH', path, { headers: mergePatch, body: { spec: { replicas: 8 } } });
      await call('PATCH', path, { headers: strategicPatch, body: { spec: { replicas: 9 } } });
      assert.equal(await replicas(), 9);
      const body = [{ op: 'replace', path: '/spec/replicas', value: 0 }];
      await call('PATCH', path, { headers: jsonPatch, body });
      assert.equal(await replicas(), undefined, 'no replicas are left out');
      const stale = { metadata: { resourceVersion: scale.metadata.resourceVersion }, spec: { replicas: 3 } };
      await call('PATCH', path, { headers: mergePatch, body: stale }, 409);
      await call('PATCH', path, { headers: mergePatch, body: { ...stale, metadata: { resourceVersion: '0' } } });
      assert.equal(await replicas(), 3);
    });

    test('refuses what is no scale of its version, and what is not there', async () => {
      const { path, inExtensions, name } = await create();
      const older = await call('GET', inExtensions);
      const nowhere = await call('PUT', inExtensions, { body: { metadata: { name }, spec: { replicas: 1 } } }, 422);
      assert.deepEqual(causesOf(nowhere), ['metadata.namespace FieldValueRequired']);
      await call('PUT', path, { body: older }, 400);
      await call('PUT', path, { body: { metadata: { name, namespace: 'other' } } }, 400);
      await call('PUT', path, { body: { metadata: { name, namespace }, spec: { replicas: -1 } } }, 422);
      const missing = await call('GET', path.replace(name, 'none'), {}, 404);
      const { group = '', kind } = missing.details as { group?: string; kind: string };
      assert.deepEqual([group, kind], prefix === '/apis/apps/v1' ? ['apps', resource] : ['', `${resource}/scale`]);
      // Where the reference has this path, the namespace must be there, too.
      const code = prefix === '/apis/apps/v1' ? 200 : 422;
      await call('PUT', path, { body: { metadata: { name }, spec: { replicas: 1 } } }, code);
    });
  });
}

describe('the status of apps/v1', limit, () => {
  test('can be read and patched, and nothing else with it', async () => {
    const name = scene.freshName();
    const created = await scene.create('deployments', name);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/status`;
    const condition = { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' };
    const body = { spec: { replicas: 9 }, status: { readyReplicas: 1, conditions: [condition] } };
    const patched = await call('PATCH', path, { headers: strategicPatch, body });
    assert.deepEqual(patched.status, { readyReplicas: 1, conditions: [condition] });
    assert.equal(patched.spec?.replicas, (created as ScaleBody).spec?.replicas);
    assert.deepEqual(await call('GET', path), patched);
    assert.equal(patched.metadata.selfLink, path);
    const second = { type: 'Progressing', status: 'Unknown' };
    const both = await call('PATCH', path, { headers: strategicPatch, body: { status: { conditions: [second] } } });
    const types = (both.status as unknown as { conditions: { type: string }[] }).conditions.map(({ type }) => type);
    assert.deepEqual(types.toSorted(), ['Available', 'Progressing']);
    await call('GET', `/apis/extensions/v1beta1/namespaces/${namespace}/deployments/${name}/status`, {}, 405);
  });

  test('there is no rollback in apps/v1', async () => {
    const name = scene.freshName();
    await scene.create('deployments', name);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}/rollback`;
    await call('POST', path, { body: { name, rollbackTo: {} } }, 404);
  });
});
