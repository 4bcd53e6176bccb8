import { homedir } from 'node:os';
import { join } from 'node:path';
import { randomIds } from '../base/ids.ts';
import { HttpClient } from '../client/http-client.ts';
import type { HttpAccess } from '../client/http-access.ts';
import { KubeconfigError, readKubeconfig } from '../client/kubeconfig.ts';
import type { Terminal } from './command.ts';
import { consoleLogger } from './console-logger.ts';
import { text } from './flag-values.ts';
import { optionalFlag, type FlagValues } from './flag.ts';
import { outputFlags } from './output-flags.ts';
import { UsageError } from './usage-error.ts';

/** What commands understand that work against a server. */
export const componentFlags = {
  kubeconfig: optionalFlag('kubeconfig', text('FILE'), {
    section: 'Server',
    help: 'How the server is reached, and as whom.',
    shows: '$KUBECONFIG, or ~/.kube/config',
  }),
  context: optionalFlag('context', text('NAME'), {
    section: 'Server',
    help: 'Which context of the kubeconfig file; the current one when absent.',
  }),
  server: optionalFlag('server', text('URL'), {
    section: 'Server',
    help: 'Address of a server that asks for no credentials, instead of a kubeconfig file.',
  }),
  ...outputFlags,
};

export type ComponentFlagValues = FlagValues<typeof componentFlags>;

export interface ComponentParts {
  /** How the server is reached. */
  readonly access: HttpAccess;
  readonly client: HttpClient;
  readonly clock: Terminal['clock'];
  readonly ids: typeof randomIds;
  readonly logger: ReturnType<typeof consoleLogger>;
}

/** What every component is started with. The client is the caller's to close. */
export async function openComponentParts(values: ComponentFlagValues, terminal: Terminal): Promise<ComponentParts> {
  const { clock, stderr } = terminal;
  const logger = consoleLogger({ output: stderr, level: values.logLevel, format: values.logFormat, clock });
  const access = await accessFrom(values);
  return { access, client: new HttpClient({ access, clock, ids: randomIds }), clock, ids: randomIds, logger };
}

async function accessFrom({ kubeconfig, context, server }: ComponentFlagValues): Promise<HttpAccess> {
  if (server !== undefined) {
    if (kubeconfig !== undefined || context !== undefined) {
      throw new UsageError(['--server stands instead of --kubeconfig and --context; use one or the other']);
    }
    return { server };
  }
  // A variable that is empty counts as absent, as it does for kubectl.
  const file = kubeconfig ?? (process.env['KUBECONFIG'] || join(homedir(), '.kube', 'config'));
  try {
    return await readKubeconfig(file, context);
  } catch (error) {
    if (error instanceof KubeconfigError) throw new UsageError([error.message]);
    throw error;
  }
}
