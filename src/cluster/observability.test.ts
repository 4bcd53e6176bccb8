import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { OptionsError } from '../cluster-options.ts';
import { startCluster } from '../cluster.ts';

async function directory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'observability-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

test('a cluster tells of its process, its storage and its requests', async () => {
  const cluster = await startCluster({ insecurePort: 0 });
  try {
    await fetch(`${cluster.insecureUrl}/api/v1/namespaces`);
    const text = await (await fetch(`${cluster.insecureUrl}/metrics`)).text();
    assert.match(text, /^process_cpu_seconds_total [\d.]+$/m);
    assert.match(text, /^process_resident_memory_bytes \d+$/m);
    const started = Number(/^process_start_time_seconds ([\d.]+)$/m.exec(text)?.[1]);
    assert.ok(Math.abs(started - (Date.now() / 1000 - process.uptime())) < 5);
    assert.match(text, /^nodejs_eventloop_lag_seconds\{quantile="0\.99"\} [\de.-]+$/m);
    if (process.platform === 'linux') assert.match(text, /^process_open_fds \d+$/m);
    assert.match(text, /^apiserver_storage_objects\{resource="services"\} 1$/m);
    assert.match(text, /^apiserver_storage_objects\{resource="deployments\.extensions"\} 0$/m);
    assert.match(text, /^etcd_request_duration_seconds_count\{operation="list",type="namespaces"\} [1-9]\d*$/m);
    assert.match(text, /^apiserver_request_total\{verb="LIST",.*resource="namespaces",.*code="200"\} 1$/m);
  } finally {
    await cluster.close();
  }
});

test('two clusters in one process count apart', async () => {
  const [one, other] = await Promise.all([startCluster({ insecurePort: 0 }), startCluster({ insecurePort: 0 })]);
  try {
    await fetch(`${one.insecureUrl}/version`);
    const count = /^apiserver_request_total\{.*subresource="\/version".*\} 1$/m;
    assert.match(await (await fetch(`${one.insecureUrl}/metrics`)).text(), count);
    assert.doesNotMatch(await (await fetch(`${other.insecureUrl}/metrics`)).text(), count);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

test('the audit log is complete once the cluster is closed', async (t) => {
  const path = join(await directory(t), 'audit.log');
  const cluster = await startCluster({ insecurePort: 0, audit: { path } });
  const uris = ['/api/v1/pods', '/api/v1/nodes', '/version'];
  for (const uri of uris) await (await fetch(`${cluster.insecureUrl}${uri}`)).arrayBuffer();
  await cluster.close();
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const told = lines.map((line) => (JSON.parse(line) as { requestURI: string }).requestURI);
  assert.deepEqual(told, uris);
});

test('a cluster does not start with an audit log that it cannot write', async (t) => {
  const path = join(await directory(t), 'file', 'audit.log');
  await writeFile(dirname(path), '');
  await assert.rejects(startCluster({ audit: { path } }), (error) => {
    return error instanceof OptionsError && /audit log cannot be written/.test(error.message);
  });
});
