import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { kinds } from '../../src/kinds/index.ts';
import { findTool, kubectl as kubectlTool } from './debian-tool.ts';
import { openKubectlCluster, type KubectlCluster } from './kubectl-cluster.ts';

const tool = await findTool(kubectlTool);
const skip = 'missing' in tool ? tool.missing : false;

/** A whole cluster in one process, with simulated nodes, seen through kubectl. */
describe('workloads with kubectl', { skip, timeout: 180_000 }, () => {
  let cluster: KubectlCluster;

  before(async () => {
    const program = 'path' in tool ? tool.path : '';
    cluster = await openKubectlCluster(program, { controllers: true, nodes: { count: 5, runtime: 'simulated' } });
  });

  after(() => cluster.close());

  /** Runs kubectl, which must succeed. */
  async function k(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await cluster.kubectl(args);
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  }

  async function apply(object: object): Promise<void> {
    const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], object);
    assert.equal(code, 0, stderr);
  }

  /** Asks kubectl until it says what is wanted. */
  async function until(wanted: string | RegExp, ...args: string[]): Promise<void> {
    const fits = (text: string): boolean => (typeof wanted === 'string' ? text === wanted : wanted.test(text));
    let last = await k(...args);
    while (!fits(last)) last = await k(...args);
  }

  function readPods(label: string): string[] {
    return ['get', 'pods', '-l', label, '-o', 'jsonpath={range .items[*]}{.metadata.name}{"\\n"}{end}'];
  }

  test('a deployment of ten rolls, breaks, is rolled back and scaled on the way', async () => {
    await k('create', 'deployment', 'web', '--image=web:1', '--replicas=10');
    await k('rollout', 'status', 'deployment/web', '--timeout=60s');
    assert.equal(await k('get', 'deployment', 'web', '-o', 'jsonpath={.status.availableReplicas}'), '10');
    await k('set', 'image', 'deployment/web', 'web=web:2');
    await k('rollout', 'status', 'deployment/web', '--timeout=60s');
    // A version whose pods never become ready stops half-way, with enough of the old one left.
    const broken = { annotations: { 'simulated.wherry.dev/ready-after': 'never' } };
    await k('patch', 'deployment', 'web', '-p', JSON.stringify({ spec: { template: { metadata: broken } } }));
    await until(/^[1-9]/, 'get', 'deployment', 'web', '-o', 'jsonpath={.status.unavailableReplicas}');
    const available = Number(await k('get', 'deployment', 'web', '-o', 'jsonpath={.status.availableReplicas}'));
    assert.ok(available >= 7, `${available} of 10 still serve`);
    await k('scale', 'deployment', 'web', '--replicas=12');
    await k('rollout', 'undo', 'deployment/web');
    await k('rollout', 'status', 'deployment/web', '--timeout=60s');
    assert.equal(await k('get', 'deployment', 'web', '-o', 'jsonpath={.status.availableReplicas}'), '12');
    assert.match(
      await k('get', 'deployment', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}'),
      /web:2/,
    );
    assert.equal((await k(...readPods('app=web'))).split('\n').length, 12);
  });

  test('deleting a deployment takes its pods along, unless they are to be left', async () => {
    await k('create', 'deployment', 'left', '--image=x', '--replicas=2');
    await k('rollout', 'status', 'deployment/left', '--timeout=60s');
    await k('delete', 'deployment', 'left', '--cascade=orphan');
    await until(/^replicaset/, 'get', 'rs', '-l', 'app=left', '-o', 'name');
    assert.equal((await k(...readPods('app=left'))).split('\n').length, 2);
    await k('delete', 'deployment', 'web');
    await until('', ...readPods('app=web'));
    await until('', 'get', 'rs', '-l', 'app=web', '-o', 'name');
  });

  test('a service finds the pods that are ready', async () => {
    await k('create', 'deployment', 'served', '--image=x', '--replicas=2');
    await k('expose', 'deployment', 'served', '--port=80');
    const addresses = 'jsonpath={range .subsets[*].addresses[*]}{.ip}{"\\n"}{end}';
    await until(/^\S+\n\S+$/, 'get', 'endpoints', 'served', '-o', addresses);
  });

  test('a job with failures completes', async () => {
    const annotations = { 'simulated.wherry.dev/run-for': '100ms', 'simulated.wherry.dev/exit-code': '1,0' };
    await apply({
      kind: 'Job',
      apiVersion: 'batch/v1',
      metadata: { name: 'work' },
      spec: {
        completions: 2,
        template: {
          metadata: { annotations },
          spec: { restartPolicy: 'OnFailure', containers: [{ name: 'work', image: 'x' }] },
        },
      },
    });
    await k('wait', '--for=condition=complete', 'job/work', '--timeout=60s');
    assert.equal(await k('get', 'job', 'work', '-o', 'jsonpath={.status.succeeded}'), '2');
  });

  test('a quota counts what there is, and gives back what is deleted', async () => {
    await k('create', 'namespace', 'tight');
    await k('create', 'quota', 'few', '-n', 'tight', '--hard=configmaps=1');
    await until('1', 'get', 'quota', 'few', '-n', 'tight', '-o', 'jsonpath={.status.hard.configmaps}');
    await k('create', 'configmap', 'one', '-n', 'tight');
    const refused = await cluster.kubectl(['create', 'configmap', 'two', '-n', 'tight']);
    assert.match(refused.stderr, /forbidden/i);
    await k('delete', 'configmap', 'one', '-n', 'tight');
    await until('0', 'get', 'quota', 'few', '-n', 'tight', '-o', 'jsonpath={.status.used.configmaps}');
    await k('create', 'configmap', 'two', '-n', 'tight');
  });

  test('an autoscaler follows the load', async () => {
    const template = {
      metadata: { labels: { app: 'busy' }, annotations: { 'simulated.wherry.dev/cpu-usage': '180m' } },
      spec: { containers: [{ name: 'busy', image: 'x', resources: { requests: { cpu: '100m' } } }] },
    };
    await apply({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'busy' },
      spec: { replicas: 1, selector: { matchLabels: { app: 'busy' } }, template },
    });
    await k('autoscale', 'deployment', 'busy', '--min=1', '--max=4', '--cpu-percent=50');
    await until('4', 'get', 'deployment', 'busy', '-o', 'jsonpath={.status.availableReplicas}');
  });

  test('a namespace with every kind in it disappears', async () => {
    await k('create', 'namespace', 'full');
    await until(/default/, 'get', 'serviceaccounts', '-n', 'full', '-o', 'name');
    for (const kind of kinds.filter(({ namespaced }) => namespaced)) {
      const { metadata } = kind.example;
      const about = kind.kind === 'Event' ? { involvedObject: { namespace: 'full' } } : {};
      const object = { ...kind.example, ...about, metadata: { ...metadata, namespace: 'full' } };
      const { code, stderr } = await cluster.kubectl(['create', '--validate=false', '-f', '-'], object);
      // A quota of an example may forbid the next; what counts is that what is there goes.
      assert.ok(code === 0 || /forbidden|already exists/i.test(stderr), `${kind.kind}: ${stderr}`);
    }
    await k('delete', 'namespace', 'full', '--timeout=60s');
    assert.doesNotMatch(await k('get', 'namespaces', '-o', 'name'), /full/);
  });
});
