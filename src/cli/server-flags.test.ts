import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import type { ClusterOptions } from '../cluster-options.ts';
import { defaultHistoryBounds } from '../storage/storage.ts';
import { parseFlags } from './parse-flags.ts';
import { clusterOptionsFrom, serverFlags } from './server-flags.ts';

function optionsFrom(...args: string[]): ClusterOptions {
  return clusterOptionsFrom(parseFlags(serverFlags, args));
}

test('without flags a cluster is durable, speaks TLS on the loopback address, and has no plain port', () => {
  assert.deepEqual(optionsFrom(), {
    storage: { make: 'lmdb', directory: join(homedir(), '.wherry') },
    history: defaultHistoryBounds,
    bindAddress: '127.0.0.1',
    securePort: 6443,
    insecurePort: undefined,
    tokenAuthFile: undefined,
    anonymousAuth: true,
    authorizationMode: ['Node', 'RBAC'],
    authorizationPolicyFile: undefined,
    serviceAccountKeyFile: undefined,
    kubeletCertificateAuthority: undefined,
    serviceAccountIssuer: undefined,
    admissionControl: undefined,
    maxRequestsInflight: 400,
    serviceClusterIpRange: undefined,
    serviceNodePortRange: { first: 30_000, last: 32_767 },
    audit: undefined,
  });
});

test('flags become the options of a cluster', () => {
  const serving = ['--memory', '--secure-port=0', '--insecure-port', '8080', '--bind-address', '::'];
  const history = ['--history-count', '5', '--history-bytes=1Ki', '--history-age', '2m'];
  const options = optionsFrom(...serving, ...history, '--admission-control', 'A,B', '--token-auth-file=t.csv');
  assert.deepEqual(options.storage, { make: 'memory' });
  assert.deepEqual(options.history, { count: 5, bytes: 1024, ageMs: 120_000 });
  assert.deepEqual([options.securePort, options.insecurePort, options.bindAddress], [0, 8080, '::']);
  assert.deepEqual([options.tokenAuthFile, options.admissionControl], ['t.csv', ['A', 'B']]);
});

test('flags say who may come in and what they may do', () => {
  const modes = ['--authorization-mode=ABAC,RBAC', '--authorization-policy-file', 'p.jsonl'];
  const accounts = ['--service-account-key-file', 'k.pem', '--service-account-issuer=https://x'];
  const nodes = ['--kubelet-certificate-authority', 'ca.pem'];
  const options = optionsFrom('--anonymous-auth=false', ...modes, ...accounts, ...nodes);
  assert.equal(options.kubeletCertificateAuthority, 'ca.pem');
  assert.equal(options.anonymousAuth, false);
  assert.deepEqual([options.authorizationMode, options.authorizationPolicyFile], [['ABAC', 'RBAC'], 'p.jsonl']);
  assert.deepEqual([options.serviceAccountKeyFile, options.serviceAccountIssuer], ['k.pem', 'https://x']);
});

test('a relative data directory is meant from where the command runs', () => {
  assert.deepEqual(optionsFrom('--data-dir', 'data').storage, { make: 'lmdb', directory: resolve('data') });
});

test('--insecure-port 0 leaves the plain port off', () => {
  assert.equal(optionsFrom('--insecure-port', '0').insecurePort, undefined);
});

test('--memory and --data-dir exclude each other', () => {
  assert.throws(() => optionsFrom('--memory', '--data-dir', 'x'), /exclude each other/);
});

test('--etcd-servers keeps objects in etcd, and the data directory the rest', () => {
  const tls = ['--etcd-cafile', 'ca.pem', '--etcd-certfile', 'c.pem', '--etcd-keyfile', 'k.pem'];
  const { storage } = optionsFrom('--etcd-servers', 'http://a:2379, https://b:2379', '--data-dir', 'data', ...tls);
  assert.deepEqual(storage, {
    make: 'etcd',
    servers: ['http://a:2379', 'https://b:2379'],
    prefix: '/registry',
    authorityFile: 'ca.pem',
    certificateFile: 'c.pem',
    keyFile: 'k.pem',
    directory: resolve('data'),
  });
});

test('--memory and --etcd-servers exclude each other', () => {
  assert.throws(() => optionsFrom('--memory', '--etcd-servers', 'http://a:2379'), /exclude each other/);
});

test('what belongs to etcd makes no sense without one', () => {
  assert.throws(() => optionsFrom('--etcd-cafile', 'ca.pem'), /--etcd-servers/);
});
