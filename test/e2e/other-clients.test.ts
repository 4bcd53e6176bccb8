import { test } from 'node:test';
import { openClientCluster } from './client-cluster.ts';
import { runClientProgram } from './client-program.ts';
import { pythonClient, rubyClient, type DebianClient } from './debian-client.ts';

const limit = { timeout: 120_000 };

const clients: readonly [string, DebianClient, number][] = [
  ['the Python client', pythonClient, 9],
  ['the Ruby client', rubyClient, 6],
];

for (const [title, client, checks] of clients) {
  test(title, limit, async (t) => {
    const open = async (): Promise<Readonly<Record<string, string>>> => {
      const cluster = await openClientCluster();
      t.after(() => cluster.close());
      return cluster.env;
    };
    await runClientProgram(t, { client, checks, open });
  });
}
