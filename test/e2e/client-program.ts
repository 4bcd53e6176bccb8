import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { findClient, type DebianClient, type RunnableClient } from './debian-client.ts';

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

export interface ProgramRun {
  readonly client: DebianClient;
  /** How many checks it makes: one that ends early must not pass for one that is done. */
  readonly checks: number;
  /** Opens what it is to use; gives its environment. Not called where the client is missing. */
  readonly open: () => Promise<Readonly<Record<string, string>>>;
}

/** Runs the program of a client, with a test for each of its checks. */
export async function runClientProgram(t: TestContext, { client, checks, open }: ProgramRun): Promise<void> {
  const found = await findClient(client);
  if ('missing' in found) return t.skip(found.missing);
  const { code, reports, stderr } = await runProgram(found, await open());
  for (const { name, passed } of reports) await t.test(name, () => assert.ok(passed, stderr));
  assert.deepEqual([code, reports.length], [0, checks], stderr);
}

async function runProgram(
  { command, args, env }: RunnableClient,
  more: Readonly<Record<string, string>>,
): Promise<Outcome> {
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
