import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { randomIds } from '../../src/base/ids.ts';
import { HttpClient } from '../../src/client/http-client.ts';
import { readKubeconfig } from '../../src/client/kubeconfig.ts';
import { startServer, type ServerProcess } from './server-process.ts';

export type StorageMake = 'memory' | 'disk';

/** API, controllers, scheduler and simulated nodes, all in one process. */
export interface WholeCluster {
  readonly process: ServerProcess;
  readonly client: HttpClient;
  /** Ends the process and removes its directory. */
  close(): Promise<void>;
}

export async function startWholeCluster(cli: string, nodes: number, storage: StorageMake): Promise<WholeCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-bench-'));
  const removeNow = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  process.once('exit', removeNow);
  const removeDirectory = async (): Promise<void> => {
    await rm(directory, { recursive: true, force: true });
    process.off('exit', removeNow);
  };
  try {
    const kubeconfig = join(directory, 'kubeconfig');
    const server = await startServer(cli, upArguments({ nodes, storage, directory, kubeconfig }));
    const access = await readKubeconfig(kubeconfig);
    const client = new HttpClient({ access, clock: systemClock, ids: randomIds });
    return {
      process: server,
      client,
      async close() {
        client.close();
        await server.stop();
        await removeDirectory();
      },
    };
  } catch (error) {
    await removeDirectory();
    throw error;
  }
}

interface UpChoices {
  readonly nodes: number;
  readonly storage: StorageMake;
  readonly directory: string;
  readonly kubeconfig: string;
}

function upArguments({ nodes, storage, directory, kubeconfig }: UpChoices): string[] {
  const stored = storage === 'memory' ? ['--memory'] : ['--data-dir', join(directory, 'data')];
  const components = ['--nodes', String(nodes), '--runtime', 'simulated'];
  return ['up', ...stored, ...components, '--kubeconfig', kubeconfig, '--secure-port', '0', '--log-level', 'error'];
}
