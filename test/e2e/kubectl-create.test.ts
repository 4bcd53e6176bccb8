import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { kinds } from '../../src/kinds/index.ts';
import { servedVersions } from '../../src/kinds/served-version.ts';
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

/** What `kubectl create` is told to make, what it says it made, and what a field of it then is. */
const creations: readonly [line: string, made: string, field: string, value: string][] = [
  ['namespace team', 'namespace/team', '.status.phase', 'Active'],
  ['serviceaccount robot', 'serviceaccount/robot', '.metadata.name', 'robot'],
  ['configmap settings --from-literal=colour=blue', 'configmap/settings', '.data.colour', 'blue'],
  ['secret generic login --from-literal=user=me', 'secret/login', '.data.user', 'bWU='],
  ['service clusterip inner --tcp=80:8080', 'service/inner', '.spec.ports[0].targetPort', '8080'],
  ['service nodeport outer --tcp=80 --node-port=30123', 'service/outer', '.spec.ports[0].nodePort', '30123'],
  ['service loadbalancer front --tcp=443', 'service/front', '.spec.type', 'LoadBalancer'],
  ['ingress site --class=own --rule=a.example/app*=web:http,tls=cert', 'ingress.networking.k8s.io/site', '.spec.rules[0].host', 'a.example'], // prettier-ignore
  ['quota bound --hard=pods=20', 'resourcequota/bound', '.spec.hard.pods', '20'],
  ['deployment web --image=web:1 --replicas=2', 'deployment.apps/web', '.spec.replicas', '2'],
  ['job task --image=task:1 -- run it', 'job.batch/task', '.spec.template.spec.containers[0].command[1]', 'it'],
  [
    'role reader --verb=get,list --resource=pods',
    'role.rbac.authorization.k8s.io/reader',
    '.rules[0].verbs[1]',
    'list',
  ],
  ['rolebinding readers --role=reader --user=jane', 'rolebinding.rbac.authorization.k8s.io/readers', '.subjects[0].name', 'jane'], // prettier-ignore
  ['clusterrole watcher --verb=watch --resource=deployments.apps', 'clusterrole.rbac.authorization.k8s.io/watcher', '.rules[0].apiGroups[0]', 'apps'], // prettier-ignore
  ['clusterrolebinding watchers --clusterrole=watcher --group=ops', 'clusterrolebinding.rbac.authorization.k8s.io/watchers', '.roleRef.name', 'watcher'], // prettier-ignore
];

describe('kubectl create', { skip }, () => {
  for (const [line, made, field, value] of creations) {
    test(line, limit, async () => {
      assert.equal(await cluster.succeed(['create', ...line.split(' ')]), `${made} created\n`);
      assert.equal(await cluster.succeed(['get', made, '-o', `jsonpath={${field}}`]), value);
      const again = await cluster.kubectl(['create', ...line.split(' ')]);
      assert.equal(again.code, 1);
      assert.match(again.stderr, /already exists|another service has it/);
    });
  }

  test('secrets and config maps out of files', limit, async () => {
    const [key, cert, env] = ['key.pem', 'cert.pem', 'values.env'].map((name) => join(directory, name)) as [string, string, string]; // prettier-ignore
    const subject = ['-days', '2', '-subj', '/CN=example'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' }); // prettier-ignore
    await cluster.succeed(['create', 'secret', 'tls', 'served', `--cert=${cert}`, `--key=${key}`]);
    const typeOf = (name: string): Promise<string> =>
      cluster.succeed(['get', 'secret', name, '-o', 'jsonpath={.type}']);
    assert.equal(await typeOf('served'), 'kubernetes.io/tls');
    const account = ['--docker-server=images.example', '--docker-username=me', '--docker-password=secret'];
    await cluster.succeed(['create', 'secret', 'docker-registry', 'images', ...account]);
    assert.equal(await typeOf('images'), 'kubernetes.io/dockerconfigjson');
    await writeFile(env, 'one=1\ntwo=2\n');
    await cluster.succeed(['create', 'configmap', 'files', `--from-file=${directory}`]);
    await cluster.succeed(['create', 'configmap', 'values', `--from-env-file=${env}`]);
    const data = JSON.parse(await cluster.succeed(['get', 'configmap', 'values', '-o', 'jsonpath={.data}'])) as object;
    assert.deepEqual(data, { one: '1', two: '2' });
    const files = JSON.parse(await cluster.succeed(['get', 'configmap', 'files', '-o', 'jsonpath={.data}'])) as object;
    assert.deepEqual(Object.keys(files).toSorted(), ['cert.pem', 'key.pem', 'values.env']);
  });

  test('what runs, and what leads to it', limit, async () => {
    await cluster.succeed(['run', 'alone', '--image=web:1', '--port=8080', '--labels=app=alone', '--env=A=b']);
    assert.equal(await cluster.succeed(['expose', 'pod', 'alone', '--port=80']), 'service/alone exposed\n');
    const ports = await cluster.succeed(['get', 'service', 'alone', '-o', 'jsonpath={.spec.ports[0].targetPort}']);
    assert.equal(ports, '80');
    await cluster.succeed(['create', 'deployment', 'shown', '--image=web:1']);
    await cluster.succeed(['expose', 'deployment', 'shown', '--port=80', '--target-port=http', '--type=NodePort']);
    assert.equal(await cluster.succeed(['get', 'service', 'shown', '-o', 'jsonpath={.spec.selector.app}']), 'shown');
    await cluster.succeed(['autoscale', 'deployment', 'shown', '--max=5', '--cpu-percent=70']);
    assert.match(await cluster.succeed(['get', 'hpa', 'shown']), /Deployment\/shown +<unknown>\/70% +1 +5/);
  });
});

describe('kubectl tells', { skip }, () => {
  test('every resource that is served, with its group', limit, async () => {
    const lines = (await cluster.succeed(['api-resources', '--no-headers', '-o', 'name'])).trimEnd().split('\n');
    const served = kinds.flatMap((kind) =>
      servedVersions(kind).map(({ group }) => (group ? `${kind.resource}.${group}` : kind.resource)),
    );
    assert.deepEqual(served.filter((name) => !lines.includes(name)), []); // prettier-ignore
    const namespaced = await cluster.succeed(['api-resources', '--namespaced=false', '--verbs=list', '-o', 'name']);
    assert.ok(namespaced.split('\n').includes('nodes'));
    assert.ok(!namespaced.split('\n').includes('pods'));
  });

  test('every version', limit, async () => {
    const versions = (await cluster.succeed(['api-versions'])).trimEnd().split('\n');
    for (const { apiVersion } of kinds.flatMap(servedVersions)) assert.ok(versions.includes(apiVersion), apiVersion);
  });

  test('where the cluster is and of which version', limit, async () => {
    assert.match(await cluster.succeed(['cluster-info']), /is running at .*https:\/\/127\.0\.0\.1:\d+/);
    assert.match(await cluster.succeed(['version', '--short']), /Server Version: v1\.\d+\.\d+/);
    assert.equal(await cluster.succeed(['get', '--raw', '/healthz']), 'ok');
    assert.equal(await cluster.succeed(['config', 'current-context']), 'wherry\n');
    assert.match(await cluster.succeed(['config', 'view', '--minify']), /server: https:\/\/127\.0\.0\.1:\d+/);
    await cluster.succeed(['cluster-info', 'dump', '--output-directory', join(directory, 'dump')]);
  });

  test('who may do what', limit, async () => {
    assert.equal(await cluster.succeed(['auth', 'can-i', 'delete', 'nodes']), 'yes\n');
    assert.equal(await cluster.succeed(['auth', 'can-i', 'list', 'pods', '--as=jane']), 'yes\n');
    const refused = await cluster.kubectl(['auth', 'can-i', 'delete', 'pods', '--as=jane']);
    assert.deepEqual([refused.code, refused.stdout], [1, 'no\n']);
    assert.match(await cluster.succeed(['auth', 'can-i', '--list', '--as=jane']), /^pods +\[\] +\[\] +\[get list\]$/m);
    const forbidden = await cluster.kubectl(['get', 'secrets', '--as=jane']);
    assert.match(forbidden.stderr, /^Error from server \(Forbidden\)/);
  });
});
