import assert from 'node:assert/strict';
import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { freshKubeconfig, mergeKubeconfig, writeKubeconfig } from './kubeconfig.ts';

const access = { server: 'https://127.0.0.1:6443', authority: 'CA\n', certificate: 'CERT\n', key: 'KEY\n' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const ours = {
  cluster: {
    name: 'wherry',
    cluster: { server: access.server, 'certificate-authority-data': base64(access.authority) },
  },
  user: {
    name: 'wherry',
    user: { 'client-certificate-data': base64(access.certificate), 'client-key-data': base64(access.key) },
  },
  context: { name: 'wherry', context: { cluster: 'wherry', user: 'wherry' } },
};

const fresh = {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [ours.cluster],
  users: [ours.user],
  contexts: [ours.context],
  'current-context': 'wherry',
};

const foreign = `# my clusters
apiVersion: v1
kind: Config
preferences: {}
clusters:
- name: work # the important one
  cluster: {server: "https://work.example.com"}
users:
- name: me
  user: {token: abc}
contexts:
- name: work
  context: {cluster: work, user: me}
current-context: work
`;

describe('a kubeconfig', () => {
  test('that is not there yet holds the way in, and points at it', async () => {
    assert.deepEqual(parse(freshKubeconfig(access)), fresh);
    assert.equal(await mergeKubeconfig('', access), freshKubeconfig(access));
  });

  test('keeps the entries and comments that others put there', async () => {
    const merged = await mergeKubeconfig(foreign, access);
    assert.match(merged, /^# my clusters/);
    assert.match(merged, /- name: work # the important one/);
    const old = parse(foreign) as typeof fresh;
    assert.deepEqual(parse(merged), {
      ...old,
      clusters: [...old.clusters, ours.cluster],
      users: [...old.users, ours.user],
      contexts: [...old.contexts, ours.context],
      'current-context': 'wherry',
    });
  });

  test('merged twice is the same as merged once', async () => {
    const once = await mergeKubeconfig(foreign, access);
    assert.equal(await mergeKubeconfig(once, access), once);
  });

  test('gets the new address and keys of a cluster that moved, and keeps the namespace of its context', async () => {
    const old = await mergeKubeconfig('', { ...access, server: 'https://127.0.0.1:1', key: 'OLD' });
    const chosen = old.replace('user: wherry\n', 'user: wherry\n      namespace: team\n');
    const merged = parse(await mergeKubeconfig(chosen, access)) as typeof fresh;
    assert.deepEqual(merged.clusters, [ours.cluster]);
    assert.deepEqual(merged.users, [ours.user]);
    assert.deepEqual(merged.contexts[0]?.context, { ...ours.context.context, namespace: 'team' });
  });

  test('with empty lists, as kubectl writes them, is filled', async () => {
    const empty = 'apiVersion: v1\nkind: Config\nclusters: null\nusers: []\ncontexts: null\ncurrent-context: ""\n';
    assert.deepEqual(parse(await mergeKubeconfig(empty, access)), fresh);
  });

  test('in JSON, which is YAML too, is merged', async () => {
    const merged = parse(await mergeKubeconfig(JSON.stringify(parse(foreign)), access)) as typeof fresh;
    assert.deepEqual(merged.clusters.at(-1), ours.cluster);
    assert.equal(merged.clusters.length, 2);
  });

  test('that is something else is refused', async () => {
    for (const content of ['- a list', 'just text', 'kind: Pod', '{ broken', 'clusters: {}', 'a: 1\na: 2']) {
      await assert.rejects(mergeKubeconfig(content, access, 'some-file'), /^Error: some-file is left alone/, content);
    }
  });
});

describe('a kubeconfig file', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'wherry-kubeconfig-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  test('can be read by its owner only, and its directory is made', async () => {
    const file = join(directory, 'new', 'config');
    await writeKubeconfig(file, access);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(parse(await readFile(file, 'utf8')), fresh);
    assert.deepEqual(await readdir(join(directory, 'new')), ['config']);
  });

  test('that was open to others is closed once a key is in it', async () => {
    const file = join(directory, 'open');
    await writeFile(file, foreign);
    await chmod(file, 0o644);
    await writeKubeconfig(file, access);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  test('behind a link is changed where it lies', async () => {
    const [file, link] = [join(directory, 'real'), join(directory, 'link')];
    await writeFile(file, foreign);
    await symlink(file, link);
    await writeKubeconfig(link, access);
    assert.ok((await lstat(link)).isSymbolicLink());
    assert.match(await readFile(file, 'utf8'), /name: wherry/);
  });

  test('that is not a kubeconfig stays as it was', async () => {
    const file = join(directory, 'notes');
    await writeFile(file, 'kind: Notes\n');
    await assert.rejects(writeKubeconfig(file, access), /left alone/);
    assert.equal(await readFile(file, 'utf8'), 'kind: Notes\n');
  });
});
