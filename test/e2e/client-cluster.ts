import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeKubeconfig } from '../../src/cli/kubeconfig.ts';
import type { ClusterOptions } from '../../src/cluster-options.ts';
import { startCluster } from '../../src/cluster.ts';

/** A cluster in this process, and what a client of its administrator is given. */
export interface ClientCluster {
  /** The path of a kubeconfig file. */
  readonly kubeconfig: string;
  /** For a child process: nothing of what this machine's user has set. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function openClientCluster(options: ClusterOptions = {}): Promise<ClientCluster> {
  const home = await mkdtemp(join(tmpdir(), 'client-home-'));
  const cluster = await startCluster(options);
  const kubeconfig = join(home, 'config');
  await writeKubeconfig(kubeconfig, cluster.admin);
  return {
    kubeconfig,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: kubeconfig },
    async close() {
      await cluster.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
