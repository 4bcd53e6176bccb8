import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { deployment } from '../src/kinds/extensions/deployment.ts';
import { kinds } from '../src/kinds/index.ts';
import type { Kind } from '../src/kinds/kind.ts';
import type { ApiObject } from '../src/kinds/meta/object-meta.ts';
import { servedVersions, type ServedVersion } from '../src/kinds/served-version.ts';
import { decode } from '../src/schema/decode.ts';
import { jsonPatch, mergePatch, strategicPatch, type AnswerBody } from '../src/server/testing/http-client.ts';
import { namespace, openScene, type Scene } from './contract/scene.ts';

const limit = { timeout: 60_000 };
let scene: Scene;
before(async () => {
  scene = await openScene();
});
after(() => scene.close());

function collectionOf({ prefix, kind }: ServedVersion, watched = false): string {
  return `${prefix}${watched ? '/watch' : ''}${kind.namespaced ? `/namespaces/${namespace}` : ''}/${kind.resource}`;
}

function pathOf(served: ServedVersion, name: string): string {
  return `${collectionOf(served)}/${name}`;
}

async function create(served: ServedVersion, name: string): Promise<AnswerBody> {
  const example = decode(served.kind.schema, scene.example(served.kind.resource, name)).value;
  const body = served.conversion?.fromStored(example) ?? example;
  const answer = await scene.send('POST', collectionOf(served), { body });
  assert.equal(answer.code, served.createdCode, answer.text);
  return answer.json();
}

async function read(served: ServedVersion, name: string): Promise<AnswerBody> {
  const answer = await scene.send('GET', pathOf(served, name));
  assert.equal(answer.code, 200, answer.text);
  return answer.json();
}

/** What the versions of an object have in common: all but what they call themselves and how their fields are named. */
function identity({ metadata }: ApiObject): object {
  const { selfLink: _selfLink, ...rest } = metadata;
  return rest;
}

for (const kind of kinds.filter(({ otherVersions = [] }) => otherVersions.length > 0)) {
  const versions = servedVersions(kind);
  for (const written of versions) {
    for (const seen of versions.filter((version) => version !== written)) {
      describe(`${kind.kind} written through ${written.apiVersion} and seen through ${seen.apiVersion}`, limit, () =>
        suite(kind, written, seen),
      );
    }
  }
}

function suite(kind: Kind, written: ServedVersion, seen: ServedVersion): void {
  test('is read and listed in the form of each version', async () => {
    const name = scene.freshName();
    const created = await create(written, name);
    assert.equal(created.apiVersion, written.apiVersion);
    assert.equal(created.metadata.selfLink, pathOf(written, name));
    const other = await read(seen, name);
    assert.equal(other.kind, kind.kind);
    assert.equal(other.apiVersion, seen.apiVersion);
    assert.equal(other.metadata.selfLink, pathOf(seen, name));
    assert.deepEqual(identity(other), identity(created));
    assert.deepEqual(decode(seen.schema, other).unknown, []);
    for (const everywhere of [`${seen.prefix}/${kind.resource}`, collectionOf(seen)]) {
      const list = (await scene.send('GET', `${everywhere}?labelSelector=made%3D${name}`)).json();
      assert.equal(list.kind, `${kind.kind}List`);
      assert.equal(list.apiVersion, seen.apiVersion);
      assert.equal(list.metadata.selfLink, everywhere);
      assert.deepEqual(list.items, [other]);
    }
    assert.deepEqual(await read(written, name), created);
  });

  test('can be written back through the other version, which changes nothing', async () => {
    const name = scene.freshName();
    const created = await create(written, name);
    const answer = await scene.send('PUT', pathOf(seen, name), { body: await read(seen, name) });
    assert.equal(answer.code, 200, answer.text);
    assert.deepEqual(await read(written, name), created);
  });

  test('is replaced and patched through the other version', async () => {
    const name = scene.freshName();
    await create(written, name);
    const object = await read(seen, name);
    const labelled = { ...object, metadata: { ...object.metadata, labels: { replaced: 'yes' } } };
    assert.equal((await scene.send('PUT', pathOf(seen, name), { body: labelled })).code, 200);
    const patches: [Record<string, string>, unknown][] = [
      [mergePatch, { metadata: { labels: { merged: 'yes' } } }],
      [strategicPatch, { metadata: { labels: { strategic: 'yes' } } }],
      [jsonPatch, [{ op: 'add', path: '/metadata/labels/json', value: 'yes' }]],
    ];
    for (const [headers, body] of patches) {
      const answer = await scene.send('PATCH', pathOf(seen, name), { headers, body });
      assert.equal(answer.code, 200, answer.text);
      assert.equal(answer.json().apiVersion, seen.apiVersion);
      assert.equal(answer.json().metadata.selfLink, pathOf(seen, name));
    }
    const { labels } = (await read(written, name)).metadata;
    assert.deepEqual(labels, { replaced: 'yes', merged: 'yes', strategic: 'yes', json: 'yes' });
  });

  test('is watched through both, at each path', async () => {
    const name = scene.freshName();
    const start = (await scene.send('GET', collectionOf(seen))).json().metadata.resourceVersion;
    const query = `?resourceVersion=${start}&labelSelector=made%3D${name}`;
    const paths = [
      `${collectionOf(seen)}${query}&watch=true`,
      `${collectionOf(seen, true)}${query}`,
      `${collectionOf(seen, true)}/${name}?resourceVersion=${start}`,
    ];
    const watches = await Promise.all(
      [...paths, `${collectionOf(written, true)}${query}`].map((path) => scene.watch(path)),
    );
    const created = await create(written, name);
    const other = await read(seen, name);
    const own = watches.pop()!;
    assert.deepEqual(await own.next(), { type: 'ADDED', object: created });
    for (const watch of watches) assert.deepEqual(await watch.next(), { type: 'ADDED', object: other });
    await scene.send('DELETE', pathOf(seen, name));
    const gone = await own.next();
    assert.equal(gone?.type, 'DELETED');
    assert.equal(gone.object.apiVersion, written.apiVersion);
    for (const watch of watches) {
      const event = await watch.next();
      assert.equal(event?.type, 'DELETED');
      assert.equal(event.object.apiVersion, seen.apiVersion);
      assert.deepEqual(identity(event.object), identity(gone.object));
      watch.close();
    }
    own.close();
    assert.equal((await scene.send('GET', pathOf(written, name))).code, 404);
  });

  if (kind.hasStatus) {
    test('has its status written through the other version', async () => {
      const name = scene.freshName();
      const created = await create(written, name);
      const body = { ...(await read(seen, name)), spec: {} };
      const answer = await scene.send('PUT', `${pathOf(seen, name)}/status`, { body });
      assert.equal(answer.code, 200, answer.text);
      assert.equal(answer.json().apiVersion, seen.apiVersion);
      assert.equal(answer.json().metadata.selfLink, `${pathOf(seen, name)}/status`);
      assert.deepEqual((await read(written, name))['spec'], created['spec']);
    });
  }

  test('is taken only in the version of the path', async () => {
    const name = scene.freshName();
    const created = await create(written, name);
    const { resourceVersion: _resourceVersion, ...metadata } = created.metadata;
    const body = { ...created, metadata: { ...metadata, name: scene.freshName() } };
    assert.equal((await scene.send('POST', collectionOf(seen), { body })).code, 400);
    assert.equal((await scene.send('PUT', pathOf(seen, name), { body: created })).code, 400);
  });

  test('is found by discovery in its group', async () => {
    const group = (await scene.send('GET', `/apis/${seen.group}`)).json();
    assert.equal(group.kind, 'APIGroup');
    const { versions } = group as unknown as { versions: { groupVersion: string; version: string }[] };
    assert.ok(versions.some(({ groupVersion }) => groupVersion === seen.apiVersion));
    const list = (await scene.send('GET', seen.prefix)).json() as unknown as {
      groupVersion: string;
      resources: { name: string; kind: string }[];
    };
    assert.equal(list.groupVersion, seen.apiVersion);
    const names = list.resources.filter(({ kind: each }) => each === kind.kind).map(({ name }) => name);
    assert.deepEqual(names, kind.hasStatus ? [kind.resource, `${kind.resource}/status`] : [kind.resource]);
  });
}

describe('refusals of apps/v1, batch/v1 and autoscaling/v1', limit, () => {
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const autoscalers = `/apis/autoscaling/v1/namespaces/${namespace}/horizontalpodautoscalers`;
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;

  /** Where the server found mistakes, and whom it refused. */
  async function refusal(
    method: string,
    path: string,
    body: object,
    headers?: Record<string, string>,
  ): Promise<unknown> {
    const answer = await scene.send(method, path, { body, headers });
    assert.equal(answer.code, 422, answer.text);
    const { details } = answer.json() as unknown as {
      details: { group: string; kind: string; causes: { field: string }[] };
    };
    return [details.group, details.kind, ...details.causes.map(({ field }) => field)];
  }

  test('a new object is refused in the words of the version that it was written in', async () => {
    const spec = {
      scaleTargetRef: { kind: 'Deployment', name: 'a/b' },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: -1,
    };
    assert.deepEqual(await refusal('POST', autoscalers, { metadata: { name: scene.freshName() }, spec }), [
      'autoscaling',
      'HorizontalPodAutoscaler',
      'spec.scaleTargetRef.name',
      'spec.targetCPUUtilizationPercentage',
    ]);
  });

  test('a patch is refused in the words of the version that it was sent to', async () => {
    const name = scene.freshName();
    await scene.create('horizontalpodautoscalers', name);
    const spec = { scaleTargetRef: { name: '%' } };
    assert.deepEqual(await refusal('PATCH', `${autoscalers}/${name}`, { spec }, mergePatch), [
      'autoscaling',
      'HorizontalPodAutoscaler',
      'spec.scaleTargetRef.name',
    ]);
  });

  test('a change that a kind forbids names the group that was written to', async () => {
    const name = scene.freshName();
    await scene.create('jobs', name);
    assert.deepEqual(await refusal('PATCH', `${jobs}/${name}`, { spec: { completions: 7 } }, mergePatch), [
      'batch',
      'Job',
      'spec.completions',
    ]);
  });

  test('a rule of one version holds for what is written through it, and there alone', async () => {
    const name = scene.freshName();
    await scene.create('deployments', name);
    const labels = { other: 'yes' };
    const body = {
      metadata: { labels },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
    };
    assert.deepEqual(await refusal('PATCH', `${deployments}/${name}`, body, mergePatch), [
      'apps',
      'Deployment',
      'spec.selector',
    ]);
    const inExtensions = `/apis/extensions/v1beta1/namespaces/${namespace}/deployments/${name}`;
    assert.equal((await scene.send('PATCH', inExtensions, { body, headers: mergePatch })).code, 200);
    const { template } = (await read(servedVersions(deployment)[1]!, name))['spec'] as { template: object };
    const unselective = { metadata: { name: scene.freshName() }, spec: { template } };
    assert.deepEqual(((await refusal('POST', deployments, unselective)) as string[])[2], 'spec.selector');
  });

  test('what cannot be found or is there already is named with its group', async () => {
    const missing = await scene.send('GET', `${jobs}/none`);
    assert.equal(missing.code, 404);
    assert.equal((missing.json().details as { group?: string }).group, 'batch');
    const name = scene.freshName();
    const created = await scene.create('jobs', name);
    const spec = (created as unknown as { spec: { template: object } }).spec;
    const again = await scene.send('POST', jobs, { body: { metadata: { name }, spec: { template: spec.template } } });
    assert.equal(again.code, 409, again.text);
    assert.equal((again.json().details as { group?: string }).group, 'batch');
  });

  test('a field of the other version is unknown', async () => {
    const body = { metadata: { name: scene.freshName() }, spec: { scaleRef: {}, scaleTargetRef: {} } };
    const answer = await scene.send('POST', `${autoscalers}?fieldValidation=Strict`, { body });
    assert.equal(answer.code, 400);
    assert.match(answer.json().message ?? '', /spec\.scaleRef/);
  });
});
