import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { openKubectlCluster, type KubectlCluster, type KubectlRun } from './kubectl-cluster.ts';

const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : false;
const limit = { timeout: 120_000 };

let cluster: KubectlCluster;
let directory: string;
before(async () => {
  if (!('path' in tool)) return;
  directory = await mkdtemp(join(tmpdir(), 'wherry-kubectl-access-'));
  const tokenAuthFile = join(directory, 'tokens.csv');
  await writeFile(tokenAuthFile, 'jane-token,jane,1\n');
  cluster = await openKubectlCluster(tool.path, { tokenAuthFile });
}, limit);
after(async () => {
  await cluster?.close();
  if (directory) await rm(directory, { recursive: true, force: true });
});

function kubectl(...args: readonly string[]): Promise<KubectlRun> {
  return cluster.kubectl(args);
}

async function succeed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await kubectl(...args);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

/** What `auth can-i` says, which it also tells by its exit code. */
async function can(...args: readonly string[]): Promise<string> {
  const { code, stdout } = await kubectl('auth', 'can-i', ...args);
  const answer = stdout.trim().split('\n').at(-1) ?? '';
  assert.equal(code, answer === 'yes' ? 0 : 1);
  return answer;
}

describe('kubectl', { skip, ...limit }, () => {
  test('gives rights in a namespace, and asks for them', async () => {
    assert.equal(await can('list', 'pods', '--as', 'jane'), 'no');
    await succeed('create', 'rolebinding', 'jane-views', '--clusterrole=view', '--user=jane');
    assert.equal(await can('list', 'pods', '--as', 'jane'), 'yes');
    assert.equal(await can('list', 'pods', '--as', 'jane', '--all-namespaces'), 'no');
    assert.equal(await can('get', 'secrets', '--as', 'jane'), 'no');
    assert.equal(await can('get', '/metrics', '--as', 'jane'), 'no');
    assert.equal(await can('*', '*'), 'yes');
    const listed = await succeed('auth', 'can-i', '--list', '--as', 'jane');
    assert.match(listed, /pods\/log\S* +\[\] +\[\] +\[get list watch\]/);
  });

  test('is refused in words that say who and what', async () => {
    await succeed('create', 'configmap', 'settings', '--from-literal=a=b');
    const { code, stderr } = await kubectl('--as', 'jane', 'delete', 'configmap', 'settings');
    assert.equal(code, 1);
    assert.match(stderr, /\(Forbidden\).*user "jane" cannot delete configmaps in the namespace "default"/);
  });

  test('makes roles, shows them, and brings them in order', async () => {
    await succeed('create', 'role', 'reader', '--verb=get,list', '--resource=pods,deployments.extensions');
    await succeed('create', 'clusterrole', 'prober', '--verb=get', '--non-resource-url=/metrics');
    await succeed('create', 'clusterrolebinding', 'probers', '--clusterrole=prober', '--group=probers');
    assert.match(await succeed('describe', 'role', 'reader'), /deployments\.extensions +\[\] +\[\] +\[get list\]/);
    assert.match(await succeed('get', 'clusterrolebinding', 'probers', '-o', 'wide'), /prober/);
    assert.equal(await can('get', '/metrics', '--as', 'x', '--as-group', 'probers'), 'yes');
    const rules = [{ verbs: ['watch'], apiGroups: [''], resources: ['pods'] }];
    const role = { kind: 'Role', apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'reader' }, rules };
    const { code, stdout, stderr } = await cluster.kubectl(['auth', 'reconcile', '-f', '-'], role);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /reader reconciled/);
    assert.match(await succeed('get', 'role', 'reader', '-o', 'yaml'), /watch/);
  });

  test('cannot be used to gain rights', async () => {
    await succeed('create', 'rolebinding', 'jane-administers', '--clusterrole=admin', '--user=jane');
    const own = await kubectl(
      '--as',
      'jane',
      'create',
      'rolebinding',
      'x',
      '--clusterrole=cluster-admin',
      '--user=jane',
    );
    assert.equal(own.code, 1);
    assert.match(own.stderr, /cannot hand out rights that they do not have/);
  });
});
