import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { isReady, podsThat, type PodsByName } from './followed-pods.ts';
import { podProcesses, type PodProcess } from './pod-processes.ts';
import { SeparateCluster } from './separate-cluster.ts';

const skip = process.platform === 'linux' ? false : 'pods are processes on Linux only';
const count = 200;

class ManyPods {
  readonly cluster: SeparateCluster;
  /** Marks the processes of this test. */
  readonly run = randomBytes(8).toString('hex');

  private constructor(cluster: SeparateCluster) {
    this.cluster = cluster;
  }

  static async start(context: TestContext): Promise<ManyPods> {
    const directory = await mkdtemp(join(tmpdir(), 'wherry-restart-'));
    const many = new ManyPods(await SeparateCluster.create(directory, ['--max-pods', '300']));
    context.after(async () => {
      await many.cluster.kill();
      // A test that failed leaves none of its processes.
      for (const { pid } of await podProcesses(many.run)) process.kill(pid, 'SIGKILL');
      await rm(directory, { recursive: true, force: true });
    });
    await many.cluster.start();
    return many;
  }

  async create(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#send('POST', '', this.#pod(name))));
  }

  /** Without grace a pod is gone from the API at once, whoever still runs it. */
  async delete(names: readonly string[], gracePeriodSeconds: number): Promise<void> {
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds };
    await Promise.all(names.map((name) => this.#send('DELETE', `/${name}`, options)));
  }

  /** Resolves when exactly these pods are there and ready. */
  ready(names: readonly string[]): Promise<PodsByName> {
    return podsThat(
      this.cluster.plainUrl,
      (pods) => pods.size === names.length && names.every((name) => pods.has(name) && isReady(pods.get(name)!)),
    );
  }

  /** The programs of the pods; each has at most one. */
  async programs(): Promise<Map<string, PodProcess>> {
    const programs = (await podProcesses(this.run)).filter(({ command }) => command === 'sleep 86400');
    assert.equal(new Set(programs.map(({ pod }) => pod)).size, programs.length, 'no pod has two programs');
    return new Map(programs.map((program) => [program.pod, program]));
  }

  /** The pods of which any process is there, those that look after programs included. */
  async podsOfProcesses(): Promise<string[]> {
    const processes = await podProcesses(this.run);
    return [...new Set(processes.map(({ pod }) => pod))].sort();
  }

  #pod(name: string): object {
    const env = [
      { name: 'RUN', value: this.run },
      { name: 'POD_NAME', value: name },
    ];
    const container = { name: 'main', image: 'busybox', command: ['sleep', '86400'], env };
    return { kind: 'Pod', apiVersion: 'v1', metadata: { name }, spec: { containers: [container] } };
  }

  async #send(method: string, path: string, body: object): Promise<void> {
    const url = `${this.cluster.plainUrl}/api/v1/namespaces/default/pods${path}`;
    const response = await fetch(url, { method, body: JSON.stringify(body) });
    assert.equal(response.status, 200, await response.text());
  }
}

/** Asks again and again; the limit of the test ends what never comes. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}

const pidsOf = (programs: ReadonlyMap<string, PodProcess>, names: readonly string[]): (number | undefined)[] =>
  names.map((name) => programs.get(name)?.pid);

function restartsOf(pods: PodsByName): number {
  return [...pods.values()].reduce((sum, { status }) => sum + (status.containerStatuses?.[0]?.restartCount ?? 0), 0);
}

const numbered = (prefix: string, length: number): string[] => Array.from({ length }, (_, i) => `${prefix}-${i}`);

test(`${count} pods and what runs of them stay one through kill -9`, { skip, timeout: 180_000 }, async (context) => {
  const many = await ManyPods.start(context);
  const { cluster } = many;
  const pods = numbered('pod', count);
  await many.create(pods);
  const before = await many.ready(pods);
  const programs = await many.programs();
  assert.deepEqual([...programs.keys()].sort(), [...pods].sort());
  const containerIds = (all: PodsByName): unknown => pods.map((name) => all.get(name)?.status.containerStatuses?.[0]?.containerID); // prettier-ignore

  await context.test('the node alone is killed and started again: nothing of its pods changes', async () => {
    await cluster.kill('node');
    await cluster.start('node');
    // One more pod comes after all others: when it runs, they have been looked at.
    await many.create(['late']);
    const after = await many.ready([...pods, 'late']);
    assert.deepEqual(pidsOf(await many.programs(), pods), pidsOf(programs, pods));
    assert.deepEqual(containerIds(after), containerIds(before));
    assert.equal(restartsOf(after), 0);
  });

  await context.test('everything is killed while pods come and go: what runs is what the API says', async () => {
    const [gone, leaving, staying] = [pods.slice(0, 30), pods.slice(30, 60), pods.slice(60)];
    // Some are being started at the moment of the end.
    const coming = numbered('coming', 20);
    await many.create(coming);
    await podsThat(cluster.plainUrl, (all) => coming.some((name) => all.has(name) && isReady(all.get(name)!)));
    await cluster.kill();
    await cluster.start('apiserver');
    await many.delete(gone, 0);
    await many.delete(leaving, 5);
    await many.create(['meanwhile']);
    await cluster.kill();
    assert.deepEqual(pidsOf(await many.programs(), pods), pidsOf(programs, pods), 'nobody has stopped anything');
    await cluster.start();
    const wanted = [...staying, ...coming, 'late', 'meanwhile'];
    const after = await many.ready(wanted);
    await until(async () => (await many.podsOfProcesses()).length === wanted.length);
    const now = await many.programs();
    assert.deepEqual([...now.keys()].sort(), [...wanted].sort());
    assert.deepEqual(await many.podsOfProcesses(), [...wanted].sort());
    assert.deepEqual(pidsOf(now, staying), pidsOf(programs, staying), 'what was there runs on');
    assert.equal(restartsOf(new Map(staying.map((name) => [name, after.get(name)!]))), 0);
  });

  await context.test('pods that are deleted leave no process', async () => {
    await cluster.stop('node');
    assert.equal((await many.programs()).size, count - 60 + 22, 'containers go on without their node');
    await cluster.start('node');
    const left = [...(await many.programs()).keys()];
    await many.delete(left, 2);
    await many.ready([]);
    await until(async () => (await podProcesses(many.run)).length === 0);
    await cluster.stop('node', 'controllers', 'apiserver');
  });
});
