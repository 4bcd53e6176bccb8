import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { randomIds } from '../../src/base/ids.ts';
import { HttpClient } from '../../src/client/http-client.ts';
import { readKubeconfig } from '../../src/client/kubeconfig.ts';
import { makeScratchDirectory } from './scratch-directory.ts';
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
  const scratch = await makeScratchDirectory();
  try {
    const kubeconfig = join(scratch.path, 'kubeconfig');
    const server = await startServer(cli, upArguments({ nodes, storage, directory: scratch.path, kubeconfig }));
    const access = await readKubeconfig(kubeconfig);
    const client = new HttpClient({ access, clock: systemClock, ids: randomIds });
    return {
      process: server,
      client,
      async close() {
        client.close();
        await server.stop();
        await scratch.remove();
      },
    };
  } catch (error) {
    await scratch.remove();
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
