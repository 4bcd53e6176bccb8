import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from './free-port.ts';
import { call, readWayIn, WherryProcess } from './wherry-process.ts';

function kubeconfigIn(line: string | undefined): string {
  const [, file] = /^export KUBECONFIG=(\S+) {2}# https:\/\/127\.0\.0\.1:\d+$/.exec(line ?? '') ?? [];
  assert.ok(file, `not the line of a cluster that is up: ${line}`);
  return file;
}

const started: WherryProcess[] = [];

function wherry(...args: string[]): WherryProcess {
  const process = new WherryProcess(args);
  started.push(process);
  return process;
}

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wherry-e2e-'));
});
after(async () => {
  for (const process of started) process.child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

describe('wherry up', () => {
  test('in memory serves who has its kubeconfig, and leaves nothing behind', async () => {
    const server = wherry('up', '--memory', '--secure-port', '0', '--nodes', '0');
    const kubeconfig = kubeconfigIn(await server.firstLine);
    assert.equal((await stat(kubeconfig)).mode & 0o777, 0o600);
    const wayIn = await readWayIn(kubeconfig);
    assert.equal((await call(wayIn, { path: '/readyz' })).status, 200);
    assert.equal((await call(wayIn, { path: '/api/v1/namespaces/default' })).status, 200);
    const stranger = { server: wayIn.server, ca: wayIn.ca };
    assert.equal((await call(stranger, { path: '/api/v1/namespaces/default' })).status, 403);

    const { code, stdout } = await server.stop('SIGINT');
    assert.equal(code, 0);
    assert.equal(stdout.split('\n').length, 2);
    await assert.rejects(stat(kubeconfig), { code: 'ENOENT' });
  });

  test('with a directory keeps objects and certificates over a restart, even one without warning', async () => {
    const args = ['up', '--data-dir', join(directory, 'kept'), '--secure-port', '0'];
    const first = wherry(...args);
    const wayIn = await readWayIn(kubeconfigIn(await first.firstLine));
    const path = '/api/v1/namespaces/default/configmaps';
    const body = { metadata: { name: 'kept' }, data: { colour: 'blue' } };
    assert.equal((await call(wayIn, { method: 'POST', path, body })).status, 200);
    await first.stop('SIGKILL');

    const second = wherry(...args);
    const again = await readWayIn(kubeconfigIn(await second.firstLine));
    assert.deepEqual([again.ca, again.cert, again.key], [wayIn.ca, wayIn.cert, wayIn.key]);
    const { status, body: text } = await call(again, { path: `${path}/kept` });
    assert.equal(status, 200);
    assert.equal((JSON.parse(text) as { data: { colour: string } }).data.colour, 'blue');
    assert.equal((await second.stop()).code, 0);
  });
});

describe('wherry apiserver', () => {
  test('says where it serves, also without TLS, and lets tokens in', async () => {
    const tokens = join(directory, 'tokens.csv');
    await writeFile(tokens, 'open-sesame,alice,1,"system:masters"\nknock-knock,bob,2\n', { mode: 0o600 });
    const kubeconfig = join(directory, 'config');
    const [port, noPort] = [String(await freePort()), '0'];
    const serving = ['--secure-port', noPort, '--insecure-port', port, '--token-auth-file', tokens];
    const server = wherry('apiserver', '--memory', '--kubeconfig', kubeconfig, ...serving);
    const line = (await server.firstLine) ?? '';
    assert.match(
      line,
      /^serving at https:\/\/127\.0\.0\.1:\d+ and, without authentication, at http:\/\/127\.0\.0\.1:\d+$/,
    );
    const plain = await fetch(`http://127.0.0.1:${port}/api/v1/namespaces`);
    assert.equal(plain.status, 200);
    await plain.body?.cancel();
    const { cert: _cert, key: _key, ...stranger } = await readWayIn(kubeconfig);
    const withToken = (token: string): Promise<{ status: number }> =>
      call(stranger, { path: '/api/v1/namespaces', headers: { authorization: `Bearer ${token}` } });
    assert.equal((await withToken('open-sesame')).status, 200);
    assert.equal((await withToken('knock-knock')).status, 403);
    assert.equal((await withToken('wrong')).status, 401);
    const { code, stderr } = await server.stop();
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /open-sesame|knock-knock|wrong/);
  });

  test('says why it cannot start', async () => {
    const holder = wherry('apiserver', '--memory', '--secure-port', '0');
    const [, port = ''] = /:(\d+)$/.exec((await holder.firstLine) ?? '') ?? [];
    const taken = await wherry('apiserver', '--memory', '--secure-port', port).ended;
    assert.equal(taken.code, 1);
    assert.equal(taken.stdout, '');
    assert.match(taken.stderr, new RegExp(`^wherry: .*127\\.0\\.0\\.1:${port}.*in use.*--secure-port`, 'm'));
    await holder.stop();

    const missing = join(directory, 'no-tokens.csv');
    const tokenless = await wherry('apiserver', '--memory', '--token-auth-file', missing).ended;
    assert.equal(tokenless.code, 1);
    assert.match(tokenless.stderr, /^wherry: the token file .*no-tokens\.csv cannot be read/m);

    for (const [flag, why] of [
      ['--authorization-policy-file', /^wherry: the policy file .*no-such cannot be read/m],
      ['--service-account-key-file', /^wherry: the service account key file .*no-such cannot be read/m],
    ] as const) {
      const args = ['--memory', '--secure-port', '0', '--authorization-mode'];
      const mode = flag === '--authorization-policy-file' ? 'ABAC' : 'RBAC';
      const fileless = await wherry('apiserver', ...args, mode, flag, join(directory, 'no-such')).ended;
      assert.equal(fileless.code, 1);
      assert.match(fileless.stderr, why);
    }

    const file = join(directory, 'a-file');
    await writeFile(file, '');
    const homeless = await wherry('apiserver', '--data-dir', join(file, 'x'), '--secure-port', '0').ended;
    assert.equal(homeless.code, 1);
    assert.match(homeless.stderr, /^wherry: .*a-file/m);
  });

  test('refuses a data directory that another process uses', async () => {
    const args = ['apiserver', '--data-dir', join(directory, 'shared'), '--secure-port', '0'];
    const holder = wherry(...args);
    await holder.firstLine;
    const second = await wherry(...args).ended;
    assert.equal(second.code, 1);
    assert.match(second.stderr, /^wherry: .*shared/m);
    await holder.stop();
  });
});

test('a wrong command line ends with code 2 and without a word on standard output', async () => {
  const { code, stdout, stderr } = await wherry('up', '--secure-prot', '1').ended;
  assert.equal(code, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /did you mean --secure-port\?/);

  const unknown = await wherry('up', '--memory', '--secure-port', '0', '--admission-control', 'Nonsense').ended;
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /^wherry: there is no admission plugin "Nonsense"; known are .*NamespaceLifecycle/);

  const mode = await wherry('up', '--memory', '--secure-port', '0', '--authorization-mode', 'RBAC,Nonsense').ended;
  assert.equal(mode.code, 2);
  assert.match(mode.stderr, /^wherry: there is no authorization mode "Nonsense"; known are .*RBAC/);
});
