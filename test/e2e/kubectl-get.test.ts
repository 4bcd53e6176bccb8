import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import type { Column } from '../../src/kinds/column.ts';
import { kinds } from '../../src/kinds/index.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import type { ApiObject } from '../../src/kinds/meta/object-meta.ts';
import { servedVersions } from '../../src/kinds/served-version.ts';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { openKubectlCluster, type KubectlCluster } from './kubectl-cluster.ts';

const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : false;
const limit = { timeout: 120_000 };

/** Bounds would get in the way of the other examples. */
const bounding = new Set(['limitranges', 'resourcequotas']);
const shown = [...kinds].sort(
  (one, other) => Number(bounding.has(one.resource)) - Number(bounding.has(other.resource)),
);

/** Every kind under every version that it is served in, as kubectl names them. */
const names = kinds.flatMap((kind) =>
  servedVersions(kind).map(({ group, version }) => (group ? `${kind.resource}.${version}.${group}` : kind.resource)),
);

let cluster: KubectlCluster;
before(async () => {
  if (!('path' in tool)) return;
  cluster = await openKubectlCluster(tool.path);
  const { example: secret } = kinds.find(({ kind }) => kind === 'Secret')!;
  const later = { ...secret, metadata: { name: 'another', labels: { rank: 'last' } } };
  const items = [...shown.map(({ example }) => example), later];
  await succeed(['create', '--validate=false', '-f', '-'], { kind: 'List', apiVersion: 'v1', items });
}, limit);
after(() => cluster?.close());

async function succeed(args: readonly string[], input?: string | object): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args, input);
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function rows(args: readonly string[]): Promise<string[]> {
  return (await succeed(args)).trimEnd().split('\n');
}

function heading(columns: readonly Column[]): RegExp {
  return new RegExp(`^${columns.map(({ name }) => escape(name.toUpperCase())).join(' +')}$`);
}

function escape(text: string): string {
  return text.replace(/[()]/g, '\\$&');
}

/** The table of one resource in an answer to `kubectl get a,b,c`. */
function tableOf(output: string, kind: Kind, name: string): string[] {
  const isHeading = ({ columns }: Kind): RegExp => heading(columns.filter(({ wide }) => !wide));
  const tables = output.trimEnd().split('\n\n').map((text) => text.split('\n').map((line) => line.trimEnd())); // prettier-ignore
  const found = tables.find(
    ([head = '', ...lines]) =>
      (isHeading(kind).test(head) || heading(kind.columns).test(head)) && lines.some((line) => line.includes(name)),
  );
  assert.ok(found, `no table of ${kind.resource} in:\n${output}`);
  return found;
}

describe('kubectl get', { skip }, () => {
  test('prints every kind in every version, with its columns', limit, async () => {
    const output = await succeed(['get', names.join(',')]);
    for (const kind of kinds) {
      const name = kind.example.metadata.name ?? '';
      const table = tableOf(output, kind, kind.kind === 'Event' ? 'pod/web' : name);
      assert.match(table[0] ?? '', heading(kind.columns.filter(({ wide }) => !wide)), kind.resource);
    }
  });

  test('prints every column of every kind when asked for more', limit, async () => {
    const output = await succeed(['get', names.join(','), '-o', 'wide']);
    for (const kind of kinds) {
      const table = tableOf(output, kind, kind.example.metadata.name ?? '');
      assert.match(table[0] ?? '', heading(kind.columns), kind.resource);
    }
  });

  test('prints what is worked out rather than stored', async () => {
    const [head = '', row = ''] = await rows(['get', 'componentstatuses']);
    assert.match(head, /^NAME +STATUS +MESSAGE +ERROR/);
    assert.match(row, /^storage +Healthy/);
  });

  test('prints single objects, several at once, and all that runs', async () => {
    assert.match((await rows(['get', 'pod', 'web']))[1] ?? '', /^web +0\/1 +Pending +0 +\d+s$/);
    const both = await succeed(['get', 'pods/web', 'secrets/login']);
    assert.match(both, /^pod\/web +0\/1/m);
    assert.match(both, /^secret\/login +Opaque +1/m);
    const all = await succeed(['get', 'all']);
    for (const name of ['pod/web', 'service/kubernetes', 'deployment.apps/web', 'job.batch/once']) {
      assert.ok(all.includes(`${name} `), all);
    }
  });

  test('says when there is nothing, and what is not there', async () => {
    const none = await cluster.kubectl(['get', 'pods', '-n', 'team-one']);
    assert.deepEqual([none.code, none.stderr], [0, 'No resources found in team-one namespace.\n']);
    const missing = await cluster.kubectl(['get', 'pods', 'nobody']);
    assert.deepEqual([missing.code, missing.stderr], [1, 'Error from server (NotFound): pods "nobody" not found\n']);
  });

  test('prints all namespaces', async () => {
    const [head = '', ...lines] = await rows(['get', 'services', '-A']);
    assert.match(head, /^NAMESPACE +NAME +TYPE/);
    assert.ok(lines.some((line) => /^default +kubernetes +ClusterIP/.test(line)));
  });

  test('prints labels, as a whole and by name', async () => {
    const [head = '', row = ''] = await rows(['get', 'secrets', 'another', '--show-labels', '-L', 'rank']);
    assert.match(head, /^NAME +TYPE +DATA +AGE +RANK +LABELS$/);
    assert.match(row, /^another +Opaque +1 +\d+s +last +rank=last$/);
  });

  test('prints what selectors choose', async () => {
    assert.deepEqual(await rows(['get', 'secrets', '-l', 'rank=last', '-o', 'name']), ['secret/another']);
    assert.deepEqual(await rows(['get', 'pods', '--field-selector', 'status.phase=Pending', '-o', 'name']), [
      'pod/web',
    ]);
  });

  test('sorts', async () => {
    const up = await rows(['get', 'secrets', '--no-headers', '--sort-by=.metadata.name']);
    assert.deepEqual(up.map((line) => line.split(' ')[0]), ['another', 'login']); // prettier-ignore
    const byField = await rows(['get', 'secrets', '--no-headers', '--sort-by={.data.user}']);
    assert.equal(byField.length, 2);
  });

  test('reads long lists in parts', async () => {
    const whole = await rows(['get', 'clusterroles', '--no-headers', '-o', 'custom-columns=N:.metadata.name']);
    const parts = await rows(['get', 'clusterroles', '--no-headers', '--chunk-size=3']);
    assert.deepEqual(parts.map((line) => line.split(' ')[0]), whole); // prettier-ignore
  });

  test('prints whole objects in the forms that it knows', async () => {
    const pod = JSON.parse(await succeed(['get', 'pod', 'web', '-o', 'json'])) as ApiObject;
    assert.deepEqual([pod.kind, pod.metadata.name], ['Pod', 'web']);
    assert.match(await succeed(['get', 'pod', 'web', '-o', 'yaml']), /^kind: Pod$/m);
    assert.equal(await succeed(['get', 'pods', '-o', 'jsonpath={.items[*].spec.containers[0].image}']), 'nginx:1.9');
    assert.deepEqual(await rows(['get', 'pods', '-o', 'name']), ['pod/web']);
    const columns = 'NAME:.metadata.name,IMAGE:.spec.containers[0].image';
    const [head = '', row = ''] = await rows(['get', 'pods', '-o', `custom-columns=${columns}`]);
    assert.deepEqual([head.split(/ +/), row.split(/ +/)], [['NAME', 'IMAGE'], ['web', 'nginx:1.9']]); // prettier-ignore
    const list = JSON.parse(await succeed(['get', 'pods,secrets', '-o', 'json'])) as { items: ApiObject[] };
    assert.deepEqual(new Set(list.items.map(({ kind }) => kind)), new Set(['Pod', 'Secret']));
  });

  test('follows changes row by row', limit, async () => {
    await succeed(['create', 'configmap', 'first', '-n', 'team-one']);
    const child = cluster.start(['get', 'configmaps', '-n', 'team-one', '-w']);
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const next = async (): Promise<string> => String((await lines.next()).value).trimEnd();
      assert.match(await next(), /^NAME +DATA +AGE$/);
      assert.match(await next(), /^first +0 +\d+s$/);
      await succeed(['create', 'configmap', 'second', '-n', 'team-one', '--from-literal=a=b']);
      assert.match(await next(), /^second +1 +\d+s$/);
      await succeed(['delete', 'configmap', 'first', '-n', 'team-one']);
      assert.match(await next(), /^first +0 +\d+s$/);
    } finally {
      child.kill();
      await once(child, 'close');
    }
  });

  test('follows changes from the start with their kind', limit, async () => {
    const child = cluster.start(['get', 'nodes', '--watch-only', '--output-watch-events']);
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const next = async (): Promise<string> => String((await lines.next()).value).trimEnd();
      // Nothing tells when a watch is open, so a node is changed until it is heard of.
      const heard = { line: next(), yet: false };
      void heard.line.then(() => (heard.yet = true));
      for (let turn = 0; !heard.yet; turn++) {
        await succeed(['annotate', '--overwrite', 'node', 'machine-1', `turn=${turn}`]);
      }
      assert.match(await heard.line, /^EVENT +NAME +STATUS +ROLES +AGE +VERSION$/);
      assert.match(await next(), /^(ADDED|MODIFIED) +machine-1 +Unknown +<none>/);
    } finally {
      child.kill();
      await once(child, 'close');
    }
  });
});

describe('kubectl describe', { skip }, () => {
  for (const name of [...names, 'componentstatuses']) {
    test(`describes ${name}`, limit, async () => {
      const kind = kinds.find(({ resource }) => resource === name.split('.')[0]);
      const output = await succeed(['describe', name]);
      assert.match(output, new RegExp(`^Name: +${kind?.example.metadata.name ?? 'storage'}$`, 'm'));
    });
  }

  test('tells the events of an object', async () => {
    const uid = await succeed(['get', 'pod', 'web', '-o', 'jsonpath={.metadata.uid}']);
    const time = new Date().toISOString();
    const event = {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name: 'web.placed', namespace: 'default' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'web', uid },
      reason: 'Scheduled',
      message: 'found a place for the pod',
      type: 'Normal',
      source: { component: 'scheduler' },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
    await succeed(['create', '-f', '-'], event);
    const output = await succeed(['describe', 'pod', 'web']);
    assert.match(output, /Normal +Scheduled +\d+s +scheduler +found a place for the pod/);
  });
});
