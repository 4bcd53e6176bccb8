import { join } from 'node:path';
import { checkPluginNames } from './access/admission/plugins.ts';
import { checkModes } from './access/authz/modes.ts';
import { ensureBootstrapPolicy } from './access/authz/rbac/ensure-bootstrap.ts';
import { CertificateKeeper } from './access/certificates/certificate-keeper.ts';
import { directoryPairStore, memoryPairStore } from './access/certificates/pair-store.ts';
import { servingNames } from './access/certificates/serving-names.ts';
import type { Clock } from './base/clock.ts';
import { Metrics } from './base/metrics/metrics.ts';
import { OptionsError, type Cluster, type ClusterOptions, type StorageChoice } from './cluster-options.ts';
import { openClusterNetwork, type ClusterNetwork } from './cluster/cluster-network.ts';
import { ClosingList } from './cluster/closing-list.ts';
import { checkEtcdChoice, etcdOptionsFrom } from './cluster/etcd-options.ts';
import { componentStatuses } from './cluster/component-statuses.ts';
import { startComponents } from './cluster/components.ts';
import { ensureFirstObjects } from './cluster/first-objects.ts';
import { openNodeConnections } from './cluster/node-connections.ts';
import { checked, optionsError } from './cluster/options-error.ts';
import { advertiseAddress, isRoutable, isUnspecified, reachableHost, urlOf } from './cluster/own-addresses.ts';
import { ownWrite } from './cluster/own-write.ts';
import { openPorts } from './cluster/ports.ts';
import { measureProcess } from './cluster/process-metrics.ts';
import { nodePortsOf, openRegistries, type Registries } from './cluster/registries.ts';
import { settingsFrom, type OpenSettings, type Settings } from './cluster/settings.ts';
import type { TokenClaims } from './controllers/service-account/token-secret.ts';
import { kinds } from './kinds/index.ts';
import { service } from './kinds/core/service.ts';
import { collectionPrefix } from './registry/address.ts';
import { addressRange } from './registry/allocation/value-range.ts';
import type { ComputedKind } from './registry/computed-kind.ts';
import { measureObjectCounts } from './registry/object-counts.ts';
import { createApiServer, type ApiServer } from './server/api-server.ts';
import { AuditLog } from './server/audit/audit-log.ts';
import type { HealthChecks } from './server/health.ts';
import { metricsKinds } from './server/usage/metrics-kinds.ts';
import { NodeSummaries } from './server/usage/node-summaries.ts';
import { MeasuredStorage } from './storage/measured-storage.ts';
import { openMemoryStorage } from './storage/memory/memory-storage.ts';
import type { HistoryBounds, Storage } from './storage/storage.ts';
import { version } from './version.ts';

/** Starts a cluster; resolves once it serves. Where it fails, nothing is left open. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const opened = new ClosingList();
  try {
    return await open(settingsFrom(options), opened);
  } catch (error) {
    return opened.closeAfter(error);
  }
}

/** What everything else stands on. */
interface Foundation {
  readonly settings: OpenSettings;
  readonly metrics: Metrics;
  readonly audit?: AuditLog;
  readonly storage: Storage;
  readonly network: ClusterNetwork;
  /** The first address for services: that of the API server. */
  readonly serviceAddress: string;
  readonly keeper: CertificateKeeper;
}

async function open(wishes: Settings, opened: ClosingList): Promise<Cluster> {
  checkWishes(wishes);
  const foundation = await openFoundation(wishes, opened);
  const { settings, keeper, network, serviceAddress } = foundation;
  const { access, registry, ownRegistry } = await openRegistries(foundation, opened);
  const { apiServer, computedKinds, finish } = await openApiServer({ ...foundation, access, registry }, opened);
  const ports = await openPorts({ settings, apiServer, keeper, opened });
  // Whoever is not on the network of this machine finds the server at the address of its service.
  const isForPods = network.isRangeOpen && !isRoutable(settings.bindAddress);
  if (isForPods && !isUnspecified(settings.bindAddress)) await ports.alsoAt(serviceAddress);
  opened.add(() => apiServer.close());
  await ensureBootstrapPolicy(ownRegistry, ownWrite);
  await ensureFirstObjects({
    registry: ownRegistry,
    serviceAddress,
    securePort: ports.secure.port,
    advertiseAddress: advertiseAddress(settings.bindAddress) ?? (isForPods ? serviceAddress : undefined),
  });
  const issueToken = (claims: TokenClaims): string => access.tokens.issueServiceAccountToken(claims);
  await startComponents(
    {
      ...settings,
      registry,
      computedKinds,
      accountTokens: { issueToken, authority: () => keeper.current.authority },
      certificates: keeper,
      node: network.node,
      apiServer: { host: isForPods ? serviceAddress : reachableHost(settings.bindAddress), port: ports.secure.port },
    },
    opened,
  );
  finish();
  const secureUrl = urlOf('https', ports.secure);
  settings.logger.info('serving', { secure: secureUrl, storage: settings.storage.make, version });
  const { authority, admin } = keeper.current;
  return {
    secureUrl,
    insecureUrl: ports.insecure && urlOf('http', ports.insecure),
    admin: { server: secureUrl, authority, ...admin },
    close: () => opened.close(),
  };
}

/** Before anything is opened, so that a mistake costs nothing. */
function checkWishes({ serviceClusterIpRange, admissionControl = [], ...wishes }: Settings): void {
  if (serviceClusterIpRange !== undefined) checked(() => addressRange(serviceClusterIpRange));
  if (wishes.storage.make === 'etcd') checkEtcdChoice(wishes.storage);
  checked(() => nodePortsOf(wishes));
  checked(() => checkPluginNames(admissionControl));
  checked(() => checkModes(wishes.authorizationMode, wishes.authorizationPolicyFile));
}

async function openFoundation(wishes: Settings, opened: ClosingList): Promise<Foundation> {
  const { clock } = wishes;
  const metrics = new Metrics();
  opened.add(measureProcess(metrics, clock));
  const audit = await openAudit(wishes, metrics);
  if (audit) opened.add(() => audit.close());
  const bareStorage = await openStorage(wishes.storage, wishes.history, clock);
  const storage = new MeasuredStorage(bareStorage, clock, metrics);
  opened.add(() => storage.close());
  measureObjectCounts(metrics, bareStorage, kinds);
  // Nobody else has the data directory, and so the networks that are named after it, from here on.
  const network = await openClusterNetwork({ ...wishes, hasServices: await hasServices(storage) }, opened);
  const settings: OpenSettings = { ...wishes, serviceClusterIpRange: network.serviceRange };
  const serviceAddress = addressRange(network.serviceRange).at(0);
  const keeper = await openCertificates(settings, serviceAddress);
  opened.add(() => keeper.close());
  return { settings, metrics, audit, storage, network, serviceAddress, keeper };
}

interface OpenApiServer {
  readonly apiServer: ApiServer;
  readonly computedKinds: readonly ComputedKind[];
  /** All that every cluster has is there: the server may say that it is ready. */
  readonly finish: () => void;
}

type ServerParts = Foundation & Pick<Registries, 'access' | 'registry'>;

async function openApiServer(parts: ServerParts, opened: ClosingList): Promise<OpenApiServer> {
  const { settings, metrics, audit, storage, keeper, access, registry } = parts;
  const { clock, ids, logger } = settings;
  const nodes = await openNodeConnections(keeper, settings.kubeletCertificateAuthority).catch(optionsError);
  const summaries = new NodeSummaries({ connections: nodes, clock, logger });
  opened.add(() => summaries.close());
  const computedKinds = metricsKinds({ registry, summaries, clock });
  let isComplete = false;
  const apiServer = createApiServer({
    registry,
    kinds,
    logger,
    clock,
    ids,
    authenticate: access.authenticate,
    authorize: access.authorize,
    answeredKinds: [...access.answeredKinds, ...computedKinds],
    nodes,
    componentStatuses: componentStatuses({ storage, registry, clock }),
    health: readiness(storage, () => isComplete),
    release: version,
    limits: { requestsInFlight: settings.maxRequestsInflight || Infinity },
    metrics,
    audit,
  });
  return { apiServer, computedKinds, finish: () => void (isComplete = true) };
}

async function openAudit(settings: Settings, metrics: Metrics): Promise<AuditLog | undefined> {
  const { audit, clock, logger } = settings;
  if (!audit) return undefined;
  const { path, level = 'Metadata', maxBytes = 100 * 1024 * 1024, maxBackups = 10 } = audit;
  try {
    return await AuditLog.open({ path, level, maxBytes, maxBackups, clock, logger, metrics });
  } catch (cause) {
    throw new OptionsError(`the audit log cannot be written: ${(cause as Error).message}`, { cause });
  }
}

async function openStorage(choice: StorageChoice, history: HistoryBounds, clock: Clock): Promise<Storage> {
  if (choice.make === 'memory') return openMemoryStorage({ clock, history });
  if (choice.make === 'etcd') {
    const { openEtcdStorage } = await import('./storage/etcd/etcd-storage.ts');
    return openEtcdStorage({ ...(await etcdOptionsFrom(choice)), clock, history });
  }
  const { openLmdbStorage } = await import('./storage/lmdb/lmdb-storage.ts');
  return openLmdbStorage({ path: join(choice.directory, 'objects'), clock, history });
}

async function hasServices(storage: Storage): Promise<boolean> {
  return (await storage.list(collectionPrefix(service), { limit: 1 })).entries.length > 0;
}

function openCertificates(settings: Settings, serviceAddress: string): Promise<CertificateKeeper> {
  const { storage, bindAddress, clock, logger } = settings;
  const store = storage.make === 'memory' ? memoryPairStore() : directoryPairStore(join(storage.directory, 'pki'));
  const names = servingNames(isUnspecified(bindAddress) ? [serviceAddress] : [serviceAddress, bindAddress]);
  return CertificateKeeper.open({ store, names, clock, logger });
}

function readiness(storage: Storage, isComplete: () => boolean): HealthChecks {
  const storageCheck = { name: 'storage', check: async () => void (await storage.revision()) };
  const startCheck = {
    name: 'start',
    check() {
      if (!isComplete()) throw new Error('the objects that every cluster has are not there yet');
    },
  };
  return { readyz: [storageCheck, startCheck] };
}
