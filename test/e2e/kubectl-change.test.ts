import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { openKubectlCluster, type KubectlCluster } from './kubectl-cluster.ts';

const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : false;
const limit = { timeout: 120_000 };

let cluster: KubectlCluster;
let directory: string;
before(async () => {
  if (!('path' in tool)) return;
  cluster = await openKubectlCluster(tool.path);
  directory = await mkdtemp(join(cluster.home, 'files-'));
}, limit);
after(() => cluster?.close());

function settings(name: string, data: object = {}, labels: object = {}): object {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, labels }, data };
}

function listOf(...items: object[]): object {
  return { kind: 'List', apiVersion: 'v1', items };
}

/** One field of an object, as text. */
function field(object: string, path: string): Promise<string> {
  return cluster.succeed(['get', object, '-o', `jsonpath={${path}}`]);
}

async function namesOf(resource: string, ...args: string[]): Promise<string[]> {
  const output = await cluster.succeed(['get', resource, '-o', 'name', ...args]);
  return output.split('\n').filter(Boolean);
}

async function refused(args: readonly string[], message: RegExp, input?: object): Promise<void> {
  const { code, stderr } = await cluster.kubectl(args, input);
  assert.notEqual(code, 0);
  assert.match(stderr, message);
}

describe('kubectl label and annotate', { skip }, () => {
  test('put, keep, overwrite and take away', limit, async () => {
    await cluster.succeed(['create', '-f', '-'], settings('marked'));
    await cluster.succeed(['label', 'configmap', 'marked', 'tier=one', 'keep=yes']);
    await refused(['label', 'configmap', 'marked', 'tier=two'], /already has a value/);
    await cluster.succeed(['label', '--overwrite', 'configmap', 'marked', 'tier=two']);
    await cluster.succeed(['label', 'configmap', 'marked', 'keep-']);
    assert.equal(await field('configmap/marked', '.metadata.labels'), '{"tier":"two"}');
    await cluster.succeed(['annotate', 'configmap', '-l', 'tier=two', 'note=some text']);
    assert.equal(await field('configmap/marked', '.metadata.annotations.note'), 'some text');
    await refused(['label', 'configmap', 'marked', 'tier=no/slash', '--overwrite'], /invalid|not valid/);
    const stale = ['annotate', 'configmap', 'marked', 'note=other', '--overwrite', '--resource-version=1'];
    await refused(stale, /Conflict/);
  });
});

describe('kubectl patch', { skip }, () => {
  test('takes its three types', limit, async () => {
    await cluster.succeed(['create', 'deployment', 'patched', '--image=web:1']);
    const patch = (...args: string[]): Promise<string> => cluster.succeed(['patch', 'deployment', 'patched', ...args]);
    const containers = (): Promise<string> => field('deployment/patched', '.spec.template.spec.containers[*].name');
    const sidecar = { spec: { template: { spec: { containers: [{ name: 'sidecar', image: 'proxy:1' }] } } } };
    assert.equal(await patch('-p', JSON.stringify(sidecar)), 'deployment.apps/patched patched\n');
    assert.deepEqual((await containers()).split(' ').toSorted(), ['sidecar', 'web']);
    await patch('--type=merge', '-p', JSON.stringify(sidecar));
    assert.equal(await containers(), 'sidecar');
    await patch('--type=json', '-p', '[{"op": "replace", "path": "/spec/replicas", "value": 4}]');
    assert.equal(await field('deployment/patched', '.spec.replicas'), '4');
    assert.equal(await patch('--type=merge', '-p', '{}'), 'deployment.apps/patched patched (no change)\n');
  });

  test('says what is wrong', limit, async () => {
    await cluster.succeed(['create', 'configmap', 'resists']);
    await refused(['patch', 'configmap', 'resists', '-p', '{"data": 1}'], /data/);
    const missing = ['patch', 'configmap', 'absent', '-p', '{}'];
    await refused(missing, /configmaps "absent" not found/);
  });
});

describe('kubectl edit and replace', { skip }, () => {
  test('edit sends what the editor leaves', limit, async () => {
    await cluster.succeed(['create', '-f', '-'], settings('edited', { colour: 'blue' }));
    const edit = ['edit', 'configmap', 'edited'];
    const output = await cluster.succeed(edit, undefined, { KUBE_EDITOR: 'sed -i s/blue/green/' });
    assert.equal(output, 'configmap/edited edited\n');
    assert.equal(await field('configmap/edited', '.data.colour'), 'green');
    const { code, stderr } = await cluster.kubectl(edit, undefined, { KUBE_EDITOR: 'true' });
    assert.deepEqual([code, stderr], [0, 'Edit cancelled, no changes made.\n']);
    const renamed = await cluster.kubectl(edit, undefined, { KUBE_EDITOR: 'sed -i s/^kind:.*/kind:/' });
    assert.notEqual(renamed.code, 0);
  });

  test('replace takes the whole object, and a new one in its place when forced', limit, async () => {
    await cluster.succeed(['create', '-f', '-'], settings('replaced', { a: '1', b: '2' }));
    const uid = await field('configmap/replaced', '.metadata.uid');
    await cluster.succeed(['replace', '-f', '-'], settings('replaced', { a: '3' }));
    assert.equal(await field('configmap/replaced', '.data'), '{"a":"3"}');
    assert.equal(await field('configmap/replaced', '.metadata.uid'), uid);
    const file = join(directory, 'replaced.json');
    await writeFile(file, JSON.stringify(settings('replaced', { a: '4' })));
    await cluster.succeed(['replace', '--force', '-f', file]);
    assert.notEqual(await field('configmap/replaced', '.metadata.uid'), uid);
    await refused(['replace', '-f', '-'], /not found/, settings('absent'));
  });
});

describe('kubectl apply', { skip }, () => {
  test('prunes what is no longer there', limit, async () => {
    const labels = { set: 'pruned' };
    const apply = ['apply', '-l', 'set=pruned', '--prune', '--prune-whitelist=core/v1/ConfigMap', '-f', '-'];
    await cluster.succeed(apply, listOf(settings('one', {}, labels), settings('two', {}, labels)));
    const output = await cluster.succeed(apply, listOf(settings('two', { a: '1' }, labels)));
    assert.match(output, /configmap\/two configured\nconfigmap\/one pruned\n/);
    assert.deepEqual(await namesOf('configmaps', '-l', 'set=pruned'), ['configmap/two']);
  });

  test('takes directories, and views and sets what was last applied', limit, async () => {
    const files = await mkdtemp(join(directory, 'many-'));
    for (const name of ['many-1', 'many-2']) {
      await writeFile(join(files, `${name}.json`), JSON.stringify(settings(name, { from: 'file' })));
    }
    await cluster.succeed(['apply', '-R', '-f', files]);
    const last = await cluster.succeed(['apply', 'view-last-applied', 'configmap', 'many-1', '-o', 'json']);
    assert.deepEqual((JSON.parse(last) as { data: object }).data, { from: 'file' });
    await cluster.succeed(['create', 'configmap', 'adopted']);
    await cluster.succeed(['apply', 'set-last-applied', '--create-annotation', '-f', '-'], settings('adopted'));
    assert.match(await cluster.succeed(['apply', '-f', '-'], settings('adopted')), /unchanged|configured/);
  });
});

describe('kubectl delete', { skip }, () => {
  const labels = { set: 'deleted' };
  const create = (...names: string[]): Promise<string> =>
    cluster.succeed(['create', '-f', '-'], listOf(...names.map((name) => settings(name, {}, labels))));

  test('by name, by file, by selector and all of them', limit, async () => {
    await cluster.succeed(['create', 'namespace', 'emptied']);
    await create('d1', 'd2', 'd3', 'd4');
    assert.equal(await cluster.succeed(['delete', 'configmap', 'd1']), 'configmap "d1" deleted\n');
    await cluster.succeed(['delete', '-f', '-'], settings('d2'));
    await refused(['delete', '-f', '-'], /not found/, settings('d2'));
    await cluster.succeed(['delete', '--ignore-not-found', '-f', '-'], settings('d2'));
    await cluster.succeed(['delete', 'configmaps', '-l', 'set=deleted', '--field-selector', 'metadata.name=d3']);
    assert.deepEqual(await namesOf('configmaps', '-l', 'set=deleted'), ['configmap/d4']);
    await cluster.succeed(['delete', 'configmaps', '-l', 'set=deleted']);
    assert.deepEqual(await namesOf('configmaps', '-l', 'set=deleted'), []);
    for (const kind of ['configmap', 'serviceaccount']) await cluster.succeed(['create', kind, 'x', '-n', 'emptied']);
    await cluster.succeed(['delete', 'configmaps,serviceaccounts', '--all', '-n', 'emptied']);
    assert.deepEqual(await namesOf('configmaps,serviceaccounts', '-n', 'emptied'), []);
  });

  test('only pretends when it is told to', limit, async () => {
    await create('spared');
    await cluster.succeed(['delete', 'configmap', 'spared', '--dry-run=server']);
    assert.equal(await field('configmap/spared', '.metadata.name'), 'spared');
  });

  test('gives pods the time that is asked for', limit, async () => {
    await cluster.succeed(['run', 'hasty', '--image=web:1']);
    await cluster.succeed(['delete', 'pod', 'hasty', '--grace-period=1']);
    await cluster.succeed(['run', 'hasty', '--image=web:1']);
    await cluster.succeed(['delete', 'pod', 'hasty', '--grace-period=0', '--force']);
    await cluster.succeed(['run', 'hasty', '--image=web:1']);
    await cluster.succeed(['delete', 'pod', 'hasty', '--now']);
    assert.deepEqual(await namesOf('pods'), []);
  });
});
