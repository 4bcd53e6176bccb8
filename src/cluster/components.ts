import { hostname } from 'node:os';
import type { CertificateKeeper } from '../access/certificates/certificate-keeper.ts';
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import { mastersGroup } from '../access/authz/masters.ts';
import { InProcessClient } from '../client/in-process-client.ts';
import type { NodesChoice, StorageChoice } from '../cluster-options.ts';
import type { AutoscalingTimes } from '../controllers/autoscaling/autoscaling-times.ts';
import type { TokenOptions } from '../controllers/service-account/token-secret.ts';
import type { ComputedKind } from '../registry/computed-kind.ts';
import type { Registry } from '../registry/registry.ts';
import type { ClosingList } from './closing-list.ts';
import type { NodePlace } from './cluster-network.ts';
import { hostNodeName } from './host-node-name.ts';

export interface ComponentsOptions {
  readonly registry: Registry;
  /** What can be read besides what is stored. */
  readonly computedKinds: readonly ComputedKind[];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly controllers: boolean;
  readonly autoscaling: Partial<AutoscalingTimes>;
  readonly nodes: NodesChoice;
  readonly storage: StorageChoice;
  readonly accountTokens: TokenOptions;
  readonly certificates: CertificateKeeper;
  /** The node with real processes, where there is to be one. */
  readonly node?: NodePlace;
  /** Where pods find the API server. */
  readonly apiServer: { readonly host: string; readonly port: number };
}

/** Where the node of this process serves: only the API server of the same process asks it anything. */
const address = '127.0.0.1';

/** One that was killed comes back under the same name, and so goes on at once. */
const identity = 'wherry-up';
/** Who does not lead by then stands by for somebody else. */
const standByMs = 2_000;

/** Starts what was asked for besides the API; resolves when it is at work. Loaded on demand: a server on its own needs none of it. */
export async function startComponents(options: ComponentsOptions, opened: ClosingList): Promise<void> {
  if (options.controllers) await startControlPlane(options, opened);
  if (options.nodes.count > 0) await startNodes(options, opened);
}

async function startControlPlane(options: ComponentsOptions, opened: ClosingList): Promise<void> {
  const { logger, accountTokens, autoscaling } = options;
  const isShared = options.storage.make === 'etcd';
  const { runControlPlane } = await import('./control-plane.ts');
  const { allControllers } = await import('../controllers/index.ts');
  const client = clientOf(options, 'system:kube-controller-manager');
  const plane = runControlPlane({
    ...partsOf(options),
    client,
    // Where objects are in etcd, others may be at work on them.
    identity: isShared ? `${identity}_${hostname()}_${options.ids.uid()}` : identity,
    controllers: allControllers({ accountTokens, autoscaling }),
  });
  opened.add(() => plane.close());
  plane.ended.catch((error: unknown) => logger.error('controllers and scheduler ended', { error }));
  await (isShared ? Promise.race([plane.leading, elapsed(options.clock, standByMs)]) : plane.leading);
}

function elapsed(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

function startNodes(options: ComponentsOptions, opened: ClosingList): Promise<void> {
  return options.nodes.runtime === 'process' ? startRealNode(options, opened) : startSimulatedNodes(options, opened);
}

/** One machine is one node. */
async function startRealNode(options: ComponentsOptions, opened: ClosingList): Promise<void> {
  const { nodes, certificates, apiServer } = options;
  const { directory, network } = options.node!;
  const { startProcessNode } = await import('./process-node.ts');
  const name = hostNodeName();
  const node = await startProcessNode({
    ...partsOf(options),
    client: clientOf(options, `system:node:${name}`),
    name,
    directory,
    imageMap: nodes.imageMap,
    network,
    address,
    port: 0,
    keepPair: (address) => certificates.keepNodePair(name, [address, 'localhost']),
    authority: () => certificates.current.authority,
    apiServer,
    stopsPods: true,
  });
  opened.add(() => node.close());
}

async function startSimulatedNodes(options: ComponentsOptions, opened: ClosingList): Promise<void> {
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
function clientOf({ registry, computedKinds }: ComponentsOptions, name: string): InProcessClient {
  return new InProcessClient({ registry, computedKinds, user: { name, groups: [mastersGroup] } });
}
