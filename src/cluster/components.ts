import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import { mastersGroup } from '../access/authz/masters.ts';
import { InProcessClient } from '../client/in-process-client.ts';
import type { NodesChoice } from '../cluster-options.ts';
import type { TokenOptions } from '../controllers/service-account/token-secret.ts';
import type { Registry } from '../registry/registry.ts';
import type { ClosingList } from './closing-list.ts';

export interface ComponentsOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly controllers: boolean;
  readonly nodes: NodesChoice;
  readonly accountTokens: TokenOptions;
}

/** One that was killed comes back under the same name, and so goes on at once. */
const identity = 'wherry-up';

/** Starts what was asked for besides the API; resolves when it is at work. Loaded on demand: a server on its own needs none of it. */
export async function startComponents(options: ComponentsOptions, opened: ClosingList): Promise<void> {
  if (options.controllers) await startControlPlane(options, opened);
  if (options.nodes.count > 0) await startNodes(options, opened);
}

async function startControlPlane(options: ComponentsOptions, opened: ClosingList): Promise<void> {
  const { logger, accountTokens } = options;
  const { runControlPlane } = await import('./control-plane.ts');
  const { allControllers } = await import('../controllers/index.ts');
  const client = clientOf(options, 'system:kube-controller-manager');
  const plane = runControlPlane({
    ...partsOf(options),
    client,
    identity,
    controllers: allControllers({ accountTokens }),
  });
  opened.add(() => plane.close());
  plane.ended.catch((error: unknown) => logger.error('controllers and scheduler ended', { error }));
  await plane.leading;
}

async function startNodes(options: ComponentsOptions, opened: ClosingList): Promise<void> {
  const { nodeNames, runSimulatedNodes } = await import('../node/simulated/run-simulated-nodes.ts');
  const client = clientOf(options, 'system:node');
  const run = runSimulatedNodes({ ...partsOf(options), client, names: nodeNames(options.nodes.count) });
  opened.add(() => run.close());
  await run.started;
}

function partsOf({ clock, ids, logger }: ComponentsOptions): Pick<ComponentsOptions, 'clock' | 'ids' | 'logger'> {
  return { clock, ids, logger };
}

/** Components of this process are trusted as the process itself is. */
function clientOf({ registry }: ComponentsOptions, name: string): InProcessClient {
  return new InProcessClient({ registry, user: { name, groups: [mastersGroup] } });
}
