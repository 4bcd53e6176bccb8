import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { readKubeconfig } from './kubeconfig.ts';

async function write(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  t.after(() => rm(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  return join(directory, 'config');
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const config = `
apiVersion: v1
kind: Config
current-context: main
contexts:
  - { name: main, context: { cluster: c1, user: u1 } }
  - { name: files, context: { cluster: c2, user: u2 } }
  - { name: nobody, context: { cluster: c2 } }
  - { name: lost, context: { cluster: gone, user: u1 } }
  - { name: helper, context: { cluster: c1, user: exec } }
clusters:
  - name: c1
    cluster: { server: 'https://one:6443', certificate-authority-data: ${base64('the authority')}, tls-server-name: api }
  - name: c2
    cluster: { server: 'https://two', certificate-authority: ca.pem, insecure-skip-tls-verify: true }
users:
  - name: u1
    user: { client-certificate-data: ${base64('the certificate')}, client-key-data: ${base64('the key')} }
  - { name: u2, user: { tokenFile: token, username: me, password: secret } }
  - { name: exec, user: { exec: { command: something } } }
`;

test('the current context says where to go and what to show', async (t) => {
  const file = await write(t, { config });
  assert.deepEqual(await readKubeconfig(file), {
    server: 'https://one:6443',
    authority: 'the authority',
    insecureSkipTlsVerify: false,
    tlsServerName: 'api',
    certificate: 'the certificate',
    key: 'the key',
    token: undefined,
    username: undefined,
    password: undefined,
  });
});

test('files are found beside the one that names them', async (t) => {
  const file = await write(t, { config, 'ca.pem': 'another authority', token: 'abc\n' });
  const access = await readKubeconfig(file, 'files');
  assert.deepEqual(
    [access.authority, access.token, access.insecureSkipTlsVerify, access.username, access.password],
    ['another authority', 'abc', true, 'me', 'secret'],
  );
});

test('what cannot be used is refused with the reason', async (t) => {
  const file = await write(t, { config });
  await assert.rejects(readKubeconfig(file, 'files'), { name: 'KubeconfigError', message: /ca\.pem cannot be read/ });
  await assert.rejects(readKubeconfig(file, 'lost'), /no cluster "gone"/);
  await assert.rejects(readKubeconfig(file, 'other'), /no context "other"/);
  await assert.rejects(readKubeconfig(file, 'helper'), /signs in by exec/);
  await assert.rejects(readKubeconfig(`${file}-missing`), /cannot be read/);
});

test('what is no kubeconfig is refused, whatever it is', async (t) => {
  for (const content of [
    '',
    '[1]',
    'a: [',
    'current-context: x',
    'contexts: 5\ncurrent-context: x',
    'current-context: 7',
  ]) {
    const file = await write(t, { config: content });
    await assert.rejects(readKubeconfig(file), { name: 'KubeconfigError' }, content);
  }
});

test('a mistake in the file is told by its place, and nothing of what the file holds', async (t) => {
  const file = await write(t, { config: 'users:\n  - name: u1\n    user: { token: s3cret ] }\n' });
  const refusal = await readKubeconfig(file).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  assert.match(refusal?.message ?? '', /line 3$/);
  assert.doesNotMatch(inspect(refusal), /s3cret/);
});
