import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeKubeconfig } from '../../src/cli/kubeconfig.ts';
import type { ClusterOptions } from '../../src/cluster-options.ts';
import { startCluster } from '../../src/cluster.ts';
import { WherryProcess } from './wherry-process.ts';

/** A cluster, and what a client of its administrator is given. */
export interface ClientCluster {
  /** The path of a kubeconfig file. */
  readonly kubeconfig: string;
  /** For a child process: nothing of what this machine's user has set. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** One in this process. */
export async function openClientCluster(options: ClusterOptions = {}): Promise<ClientCluster> {
  const home = await mkdtemp(join(tmpdir(), 'client-home-'));
  const cluster = await startCluster(options);
  await writeKubeconfig(join(home, 'config'), cluster.admin);
  return clientCluster(home, () => cluster.close());
}

/** That of `wherry up` in a process of its own, in memory and with one node whose pods are real. */
export async function openUp(args: readonly string[] = []): Promise<ClientCluster> {
  const home = await mkdtemp(join(tmpdir(), 'client-home-'));
  const place = ['--kubeconfig', join(home, 'config'), '--secure-port', '0'];
  const cluster = new WherryProcess(['up', '--memory', ...place, ...args]);
  if ((await cluster.firstLine) === undefined) throw new Error(`wherry up failed: ${(await cluster.ended).stderr}`);
  return clientCluster(home, async () => {
    const { code, stderr } = await cluster.stop();
    if (code !== 0) throw new Error(`wherry up ended with ${code}: ${stderr}`);
  });
}

function clientCluster(home: string, closeCluster: () => Promise<void>): ClientCluster {
  const kubeconfig = join(home, 'config');
  return {
    kubeconfig,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: kubeconfig },
    async close() {
      await closeCluster();
      await rm(home, { recursive: true, force: true });
    },
  };
}
