import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { kinds } from '../../src/kinds/index.ts';
import { servedVersions } from '../../src/kinds/served-version.ts';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { openKubectlCluster, type KubectlCluster, type KubectlRun } from './kubectl-cluster.ts';

const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : false;

let cluster: KubectlCluster;
before(async () => {
  if ('path' in tool) cluster = await openKubectlCluster(tool.path);
});
after(() => cluster?.close());

async function succeed(args: readonly string[], input?: string | object): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args, input);
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function read(...args: string[]): Promise<unknown> {
  return JSON.parse(await succeed(['get', ...args, '-o', 'json']));
}

interface Deployment {
  readonly metadata: { readonly labels?: Record<string, string>; readonly resourceVersion: string };
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: { readonly containers: readonly { name: string; image: string }[] } };
  };
}

/** A deployment in YAML, as a user writes it. */
function deployment(name: string, replicas: number, images: readonly string[], labels = '{}'): string {
  const containers = images.map((image) => `      - {name: ${image}, image: "${image}:1"}`).join('\n');
  return `apiVersion: extensions/v1beta1
kind: Deployment
metadata:
  name: ${name}
  labels: ${labels}
spec:
  replicas: ${replicas}
  template:
    metadata:
      labels: {app: ${name}}
    spec:
      containers:
${containers}
`;
}

describe('kubectl explain', { skip }, () => {
  test('shows what a field is for, its type and what is required', async () => {
    const text = await succeed(['explain', 'pod.spec.containers']);
    assert.match(text, /RESOURCE: containers <\[\]Object>/);
    assert.match(text, /image\t<string> -required-\n\s+Image to run\./);
    assert.match(text, /env\t<\[\]Object>\n\s+\S/);
  });

  test('knows every kind in every version', async () => {
    for (const { kind, apiVersion, schema } of kinds.flatMap((each) => servedVersions(each))) {
      const text = await succeed(['explain', kind.resource, `--api-version=${apiVersion}`]);
      assert.match(text, new RegExp(`^KIND: +${kind.kind}\nVERSION: +${apiVersion}\n`));
      assert.ok(text.replaceAll(/\s+/g, ' ').includes(schema.description), `${apiVersion} ${kind.kind}`);
    }
  });

  test('shows the whole of a kind', async () => {
    const text = await succeed(['explain', 'job', '--recursive', '--api-version=batch/v1']);
    for (const field of [
      'activeDeadlineSeconds\t<integer>',
      'matchLabels\t<map[string]string>',
      'imagePullPolicy\t<string>',
    ])
      assert.ok(text.includes(field), field);
  });
});

describe('kubectl validates before it sends', { skip }, () => {
  function refused({ code, stderr }: KubectlRun, words: RegExp): void {
    assert.equal(code, 1);
    assert.match(stderr, words);
  }

  test('a misspelt field is refused by name', async () => {
    const wrong = deployment('misspelt', 1, ['web']).replace('replicas:', 'replcas:');
    refused(await cluster.kubectl(['apply', '-f', '-'], wrong), /unknown field "replcas" in io\.k8s\.api\.extensions\.v1beta1\.DeploymentSpec/); // prettier-ignore
  });

  test('a field of the wrong type and one that is missing are refused', async () => {
    const typed = deployment('typed', 1, ['web']).replace('replicas: 1', 'replicas: many');
    refused(await cluster.kubectl(['create', '-f', '-'], typed), /invalid type for .*DeploymentSpec\.replicas/);
    const missing = deployment('missing', 1, ['web']).replace(', image: "web:1"', '');
    refused(await cluster.kubectl(['create', '-f', '-'], missing), /missing required field "image" in io\.k8s\.api\.core\.v1\.Container/); // prettier-ignore
  });

  test('the example of every kind is taken, and so is what the server made of it', async () => {
    const items = kinds.map(({ example }) => example);
    await succeed(['create', '--dry-run=client', '-f', '-'], { kind: 'List', apiVersion: 'v1', items });
    await succeed(['create', '-f', '-'], deployment('made', 1, ['web']));
    const made = await succeed(['get', 'deployment', 'made', '-o', 'json']);
    await succeed(['replace', '--dry-run=server', '-f', '-'], made);
  });
});

describe('kubectl apply', { skip }, () => {
  test('creates, leaves alone what has not changed, and takes away what is no longer written', async () => {
    const first = deployment('applied', 2, ['one', 'two'], '{colour: blue, shape: round}');
    assert.match(await succeed(['apply', '-f', '-'], first), /^deployment.* created$/m);
    const { metadata } = (await read('deployment', 'applied')) as Deployment;
    assert.match(await succeed(['apply', '-f', '-'], first), /^deployment.* unchanged$/m);
    assert.equal(
      ((await read('deployment', 'applied')) as Deployment).metadata.resourceVersion,
      metadata.resourceVersion,
    );

    const second = deployment('applied', 2, ['two', 'three'], '{colour: blue}');
    assert.match(await succeed(['apply', '-f', '-'], second), /^deployment.* configured$/m);
    const after = (await read('deployment', 'applied')) as Deployment;
    assert.deepEqual(after.metadata.labels, { colour: 'blue' });
    assert.deepEqual(after.spec.template.spec.containers.map(({ name }) => name), ['two', 'three']); // prettier-ignore
  });

  test('merges lists by the keys that the server merges by', async () => {
    const service = (...ports: object[]): object => {
      return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'merged' }, spec: { ports } };
    };
    const http = { name: 'http', port: 80, targetPort: 'http' };
    await succeed(['apply', '-f', '-'], service(http, { name: 'other', port: 81 }));
    await succeed(['apply', '-f', '-'], service(http));
    const { spec } = (await read('service', 'merged')) as { spec: { ports: unknown[]; clusterIP: string } };
    assert.deepEqual(spec.ports, [{ ...http, protocol: 'TCP' }]);
    assert.ok(spec.clusterIP);
  });

  test('shows with diff what it would change', async () => {
    const before = deployment('compared', 1, ['web']);
    await succeed(['apply', '-f', '-'], before);
    assert.equal((await cluster.kubectl(['diff', '-f', '-'], before)).code, 0);
    const { code, stdout } = await cluster.kubectl(['diff', '-f', '-'], deployment('compared', 4, ['web']));
    assert.equal(code, 1);
    assert.match(stdout, /^-\s+replicas: 1$/m);
    assert.match(stdout, /^\+\s+replicas: 4$/m);
    assert.equal(((await read('deployment', 'compared')) as Deployment).spec.replicas, 1);
  });
});

describe('kubectl --dry-run', { skip }, () => {
  test('on the server checks and answers, and stores nothing', async () => {
    const text = await succeed(['apply', '--dry-run=server', '-f', '-'], deployment('tried', 1, ['web']));
    assert.match(text, /^deployment.* created \(server dry run\)$/m);
    const made = await succeed(['run', 'tried', '--image=web', '--dry-run=server', '-o', 'jsonpath={.status.phase}']);
    assert.equal(made, 'Pending');
    for (const kind of ['deployment', 'pod']) assert.equal((await cluster.kubectl(['get', kind, 'tried'])).code, 1);
    const refused = await cluster.kubectl(['create', 'configmap', 'No_Name', '--dry-run=server']);
    assert.match(refused.stderr, /metadata\.name/);
  });

  test('on the client sends nothing', async () => {
    const args = ['create', 'configmap', 'here', '--from-literal=a=b', '--dry-run=client', '-o', 'json'];
    const { data } = JSON.parse(await succeed(args)) as { data: object };
    assert.deepEqual(data, { a: 'b' });
    assert.equal((await cluster.kubectl(['get', 'configmap', 'here'])).code, 1);
  });
});
