import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../e2e/free-port.ts';
import { readWayIn, WherryProcess, call as callSecurely } from '../e2e/wherry-process.ts';
import { EtcdProcess, findEtcd } from './etcd-process.ts';

const { program, skip } = await findEtcd();
const inDefault = '/api/v1/namespaces/default';

interface Answer {
  readonly status: number;
  readonly object: ObjectLike;
}

interface ObjectLike {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec?: { readonly clusterIP?: string; readonly ports?: readonly { readonly nodePort?: number }[] };
  readonly status?: { readonly used?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly items?: readonly ObjectLike[];
}

describe('two API servers with one etcd', { skip }, () => {
  let directory: string;
  let etcd: EtcdProcess;
  const processes: WherryProcess[] = [];
  const urls: string[] = [];
  const kubeconfigs: string[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'wherry-two-'));
    etcd = await EtcdProcess.start(program);
    // The first one makes the authority and the keys that the second one finds in the same directory.
    await startServer();
    await startServer();
  });
  after(async () => {
    for (const process of processes) process.child.kill('SIGKILL');
    await etcd.remove();
    await rm(directory, { recursive: true, force: true });
  });

  async function startServer(): Promise<void> {
    const port = await freePort();
    const kubeconfig = join(directory, `kubeconfig-${port}`);
    const ports = ['--secure-port', '0', '--insecure-port', String(port), '--kubeconfig', kubeconfig];
    const storage = ['--etcd-servers', etcd.url.origin, '--data-dir', join(directory, 'data')];
    const server = new WherryProcess(['apiserver', ...storage, ...ports]);
    processes.push(server);
    const line = await server.firstLine;
    if (line === undefined) throw new Error((await server.ended).stderr);
    urls.push(`http://127.0.0.1:${port}`);
    kubeconfigs.push(kubeconfig);
  }

  async function ask(server: number, path: string, method = 'GET', body?: object): Promise<Answer> {
    const response = await fetch(urls[server] + path, { method, body: body && JSON.stringify(body) });
    return { status: response.status, object: (await response.json()) as ObjectLike };
  }

  test('what is written through one is read, selected and watched through the other at once', async () => {
    const path = `${inDefault}/configmaps`;
    // Selecting once makes an index there, which must then follow.
    await ask(1, `${path}?labelSelector=side=left`);
    const watch = await fetch(`${urls[1]}${path}?watch=true&labelSelector=side`);
    const seen = eventsOf(watch);
    for (let round = 0; round < 20; round++) {
      const labels = { side: 'left', round: String(round) };
      const name = `shared-${round}`;
      const { object } = await ask(0, path, 'POST', { metadata: { name, labels }, data: { round: name } });
      assert.equal((await ask(1, `${path}/${name}`)).object.metadata.resourceVersion, object.metadata.resourceVersion);
      const selected = await ask(1, `${path}?labelSelector=round=${round}`);
      assert.deepEqual(
        selected.object.items?.map(({ data }) => data),
        [{ round: name }],
      );
      const { value: event } = await seen.next();
      assert.deepEqual([event?.type, event?.object.metadata], ['ADDED', object.metadata]);
    }
    await seen.return(undefined);
  });

  test('an object is changed through either, and a change that knows of an older one is refused', async () => {
    const path = `${inDefault}/configmaps`;
    const { object: first } = await ask(0, path, 'POST', { metadata: { name: 'both' } });
    const { object: second } = await ask(1, `${path}/both`, 'PUT', { ...first, data: { by: 'second' } });
    assert.equal((await ask(0, `${path}/both`, 'PUT', { ...first, data: { by: 'first' } })).status, 409);
    assert.equal((await ask(0, `${path}/both`, 'PUT', { ...second, data: { by: 'first' } })).status, 200);
    assert.deepEqual((await ask(1, `${path}/both`)).object.data, { by: 'first' });
  });

  test('services created through both at the same time never get the same address', async () => {
    const creating = Array.from({ length: 60 }, (_, index) => {
      const body = { metadata: { name: `service-${index}` }, spec: { type: 'NodePort', ports: [{ port: 80 }] } };
      return ask(index % 2, `${inDefault}/services`, 'POST', body);
    });
    const created = await Promise.all(creating);
    assert.ok(created.every(({ status }) => status === 200));
    assert.equal(new Set(created.map(({ object }) => object.spec?.clusterIP)).size, 60);
    const ports = created.map(({ object }) => object.spec?.ports?.[0]?.nodePort);
    assert.equal(new Set(ports).size, 60);
  });

  test('a quota is not overrun by creating through both at the same time', async () => {
    const inQuota = '/api/v1/namespaces/bounded';
    await ask(0, '/api/v1/namespaces', 'POST', { metadata: { name: 'bounded' } });
    const hard = { configmaps: '10' };
    const { object: quota } = await ask(0, `${inQuota}/resourcequotas`, 'POST', {
      metadata: { name: 'ten' },
      spec: { hard },
    });
    // What a controller would do, which does not run here.
    const status = { hard, used: { configmaps: '0' } };
    assert.equal((await ask(0, `${inQuota}/resourcequotas/ten/status`, 'PUT', { ...quota, status })).status, 200);
    // The other server has heard of it once it read it.
    assert.equal((await ask(1, `${inQuota}/resourcequotas/ten`)).status, 200);
    const creating = Array.from({ length: 40 }, (_, index) =>
      ask(index % 2, `${inQuota}/configmaps`, 'POST', { metadata: { name: `counted-${index}` } }),
    );
    const statuses = (await Promise.all(creating)).map((answer) => answer.status);
    assert.deepEqual([statuses.filter((each) => each === 200).length, statuses.filter((each) => each === 403).length], [10, 30]); // prettier-ignore
    assert.equal((await ask(1, `${inQuota}/configmaps`)).object.items?.length, 10);
    assert.equal((await ask(0, `${inQuota}/resourcequotas/ten`)).object.status?.used?.['configmaps'], '10');
  });

  test('with one authority, what one gives out is good at the other', async () => {
    const [first, second] = [await readWayIn(kubeconfigs[0]!), await readWayIn(kubeconfigs[1]!)];
    const path = '/api/v1/namespaces/default';
    assert.equal((await callSecurely({ ...first, server: second.server }, { path })).status, 200);
  });

  test('while etcd is gone requests are answered with 503, and watches go on when it is back', async () => {
    const path = `${inDefault}/configmaps`;
    const watch = await fetch(`${urls[1]}${path}?watch=true&fieldSelector=metadata.name=back`);
    const seen = eventsOf(watch);
    await etcd.kill();
    const refused = await Promise.all([ask(0, path), ask(1, path, 'POST', { metadata: { name: 'gone' } })]);
    assert.deepEqual(
      refused.map(({ status }) => status),
      [503, 503],
    );
    await etcd.run();
    const next = seen.next();
    let answer = await ask(0, path, 'POST', { metadata: { name: 'back' } });
    while (answer.status === 503) answer = await ask(0, path, 'POST', { metadata: { name: 'back' } });
    assert.equal(answer.status, 200);
    assert.deepEqual((await next).value?.object.metadata, answer.object.metadata);
    await seen.return(undefined);
  });

  test('a server does not start without an etcd, and says where it looked for one', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const args = ['apiserver', '--etcd-servers', nowhere, '--data-dir', join(directory, 'none'), '--secure-port', '0'];
    const { code, stderr } = await new WherryProcess(args).ended;
    assert.equal(code, 1);
    assert.ok(stderr.includes(`etcd cannot be reached at ${nowhere}`), stderr);
  });

  test('one goes on when the other is killed', async () => {
    await processes[0]!.stop('SIGKILL');
    const answer = await ask(1, `${inDefault}/configmaps`, 'POST', { metadata: { name: 'alone' } });
    assert.equal(answer.status, 200);
  });
});

interface WatchLine {
  readonly type: string;
  readonly object: ObjectLike;
}

/** The events of a watch, one after the other. */
async function* eventsOf(response: Response): AsyncGenerator<WatchLine, undefined> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split('\n');
    text = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as WatchLine;
  }
  return undefined;
}
