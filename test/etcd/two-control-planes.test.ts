import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../e2e/free-port.ts';
import { WherryProcess } from '../e2e/wherry-process.ts';
import { EtcdProcess, findEtcd } from './etcd-process.ts';

const { program, skip } = await findEtcd();
const replicaSets = '/apis/extensions/v1beta1/namespaces/default/replicasets';

describe('two whole clusters with one etcd', { skip }, () => {
  let directory: string;
  let etcd: EtcdProcess;
  const processes: WherryProcess[] = [];
  const urls: string[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'wherry-planes-'));
    etcd = await EtcdProcess.start(program);
    for (let count = 0; count < 2; count++) {
      const port = await freePort();
      const serving = ['--secure-port', '0', '--insecure-port', String(port), '--nodes', '0'];
      const storage = ['--etcd-servers', etcd.url.origin, '--data-dir', join(directory, 'data')];
      const server = new WherryProcess(['up', ...storage, ...serving]);
      processes.push(server);
      if ((await server.firstLine) === undefined) throw new Error((await server.ended).stderr);
      urls.push(`http://127.0.0.1:${port}`);
    }
  });
  after(async () => {
    for (const process of processes) process.child.kill('SIGKILL');
    await etcd.remove();
    await rm(directory, { recursive: true, force: true });
  });

  test('one runs the controllers, and the other takes over when it is killed', async () => {
    const watch = await fetch(`${urls[1]}/api/v1/namespaces/default/pods?watch=true`);
    const created = createdIn(watch);
    const labels = { app: 'counted' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'c' }] } };
    const metadata = { name: 'counted' };
    await send('POST', replicaSets, { metadata, spec: { replicas: 3, selector: { matchLabels: labels }, template } });
    const names = new Set<string>();
    while (names.size < 3) names.add((await created.next()).value!);
    await processes[0]!.stop('SIGKILL');
    await send('PATCH', `${replicaSets}/counted`, { spec: { replicas: 5 } });
    while (names.size < 5) names.add((await created.next()).value!);
    // Whoever else were at work would have made some of its own by now.
    const { items } = (await (await fetch(`${urls[1]}/api/v1/namespaces/default/pods`)).json()) as PodList;
    assert.deepEqual(new Set(items.map((pod) => pod.metadata.name)), names);
    await created.return(undefined);
  });

  async function send(method: string, path: string, body: object): Promise<void> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { 'content-type': type };
    const response = await fetch(urls[1] + path, { method, headers, body: JSON.stringify(body) });
    assert.equal(response.status, 200, await response.text());
  }
});

interface PodList {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

/** The names of objects as they are created. */
async function* createdIn(response: Response): AsyncGenerator<string, undefined> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split('\n');
    text = lines.pop()!;
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as { type: string; object: PodList['items'][number] };
      if (type === 'ADDED') yield object.metadata.name;
    }
  }
  return undefined;
}
