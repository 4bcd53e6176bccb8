import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from './free-port.ts';
import { WherryProcess } from './wherry-process.ts';

const collection = '/api/v1/namespaces/default/configmaps';
const writers = 16;
const answersBeforeKill = 400;
const rounds = 3;

interface Seen {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string; readonly resourceVersion: string } };
}

interface Server {
  readonly url: string;
  readonly process: WherryProcess;
}

async function start(directory: string): Promise<Server> {
  const port = String(await freePort());
  const ports = ['--secure-port', '0', '--insecure-port', port];
  const server = new WherryProcess(['apiserver', '--data-dir', directory, ...ports]);
  assert.ok(await server.firstLine);
  return { url: `http://127.0.0.1:${port}`, process: server };
}

/** Creates and changes objects until the server is gone; notes the revision of every answer. */
async function write(url: string, id: string, answered: Map<string, number>): Promise<void> {
  for (let i = 0; ; i++) {
    const name = `w${id}-${i}`;
    try {
      await send(url + collection, 'POST', { metadata: { name }, data: { round: id } }, answered);
      await send(
        `${url}${collection}/${name}`,
        'PUT',
        { metadata: { name }, data: { round: id, again: 'yes' } },
        answered,
      );
    } catch {
      return;
    }
  }
}

async function send(url: string, method: string, body: object, answered: Map<string, number>): Promise<void> {
  const response = await fetch(url, { method, body: JSON.stringify(body) });
  assert.equal(response.status, 200);
  const { metadata } = (await response.json()) as Seen['object'];
  answered.set(metadata.name, Number(metadata.resourceVersion));
}

/** Follows changes after a revision until the server is gone, or until `enough` says so. */
async function follow(url: string, after: number, seen: Seen[], enough: () => boolean = () => false): Promise<void> {
  if (enough()) return;
  const abort = new AbortController();
  try {
    const response = await fetch(`${url}${collection}?watch=true&resourceVersion=${after}`, { signal: abort.signal });
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      for (const line of lines) seen.push(JSON.parse(line) as Seen);
      if (enough()) return;
    }
  } catch {
    // The connection went down with the server.
  } finally {
    abort.abort();
  }
}

function revisionOf(event: Seen): number {
  return Number(event.object.metadata.resourceVersion);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

async function listed(server: Server): Promise<Map<string, number>> {
  const response = await fetch(server.url + collection);
  const { items } = (await response.json()) as { items: Seen['object'][] };
  return new Map(items.map(({ metadata }) => [metadata.name, Number(metadata.resourceVersion)]));
}

test('after kill -9 under load every answered write is there, and a watch resumes without a gap', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-crash-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const answered = new Map<string, number>();
  const seen: Seen[] = [];
  let after = 1;
  for (let round = 0; round < rounds; round++) {
    const server = await start(directory);
    const goal = answered.size + answersBeforeKill / 2;
    const following = follow(server.url, after, seen);
    const writing = Array.from({ length: writers }, (_, i) => write(server.url, `${round}-${i}`, answered));
    await until(() => answered.size >= goal);
    await server.process.stop('SIGKILL');
    await Promise.all([...writing, following]);
    after = seen.length > 0 ? revisionOf(seen.at(-1)!) : after;
  }
  const server = await start(directory);
  const stored = await listed(server);
  for (const [name, revision] of answered) {
    assert.ok((stored.get(name) ?? 0) >= revision, `${name} was answered at ${revision} and is ${stored.get(name)}`);
  }
  const newest = Math.max(...stored.values());
  await follow(server.url, after, seen, () => seen.length > 0 && revisionOf(seen.at(-1)!) >= newest);
  const revisions = seen.map(revisionOf);
  assert.deepEqual(
    revisions,
    [...new Set(revisions)].toSorted((a, b) => a - b),
    'in order, none twice',
  );
  const followed = new Map(seen.map(({ object }) => [object.metadata.name, Number(object.metadata.resourceVersion)]));
  assert.deepEqual(Object.fromEntries(followed), Object.fromEntries(stored), 'the events lead to what is stored');
  assert.equal((await server.process.stop()).code, 0);
});
