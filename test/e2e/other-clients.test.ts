import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { openClientCluster } from './client-cluster.ts';
import { findClient, pythonClient, rubyClient, type DebianClient, type RunnableClient } from './debian-client.ts';

const limit = { timeout: 120_000 };

/** What a program reported of one of its checks. */
interface Report {
  readonly name: string;
  readonly passed: boolean;
}

interface Outcome {
  readonly code: number | null;
  readonly reports: readonly Report[];
  readonly stderr: string;
}

async function runProgram({ command, args, env }: RunnableClient, more: Record<string, string>): Promise<Outcome> {
  const child = spawn(command, args, { env: { ...more, ...env }, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const lines = stdout.split('\n').map((line) => /^(not )?ok (.+)$/.exec(line));
  const reports = lines.flatMap((match) => (match ? [{ name: match[2]!, passed: match[1] === undefined }] : []));
  return { code, reports, stderr };
}

/** How many checks each program makes: one that ends early must not pass for one that is done. */
const clients: readonly [string, DebianClient, number][] = [
  ['the Python client', pythonClient, 9],
  ['the Ruby client', rubyClient, 6],
];

for (const [title, client, checks] of clients) {
  test(title, limit, async (t) => {
    const found = await findClient(client);
    if ('missing' in found) return t.skip(found.missing);
    const cluster = await openClientCluster();
    t.after(() => cluster.close());
    const { code, reports, stderr } = await runProgram(found, cluster.env);
    for (const { name, passed } of reports) await t.test(name, () => assert.ok(passed, stderr));
    assert.deepEqual([code, reports.length], [0, checks], stderr);
  });
}
