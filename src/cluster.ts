import { join } from 'node:path';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { admissionChain, defaultAdmission } from './access/admission/plugins.ts';
import { firstAuthenticator, type Authenticator } from './access/authn/authenticator.ts';
import { clientCertificateAuthenticator } from './access/authn/client-certificate.ts';
import { readTokenFile } from './access/authn/token-file.ts';
import { CertificateKeeper } from './access/certificates/certificate-keeper.ts';
import { directoryPairStore, memoryPairStore } from './access/certificates/pair-store.ts';
import { servingNames } from './access/certificates/serving-names.ts';
import { systemClock, type Clock } from './base/clock.ts';
import { randomIds } from './base/ids.ts';
import { silentLogger, type Logger } from './base/logger.ts';
import type { Cluster, ClusterOptions, StorageChoice } from './cluster-options.ts';
import type { ComponentStatus } from './kinds/core/component-status.ts';
import { kinds } from './kinds/index.ts';
import { unauthorized } from './kinds/meta/api-error.ts';
import { Allocator } from './registry/allocation/allocator.ts';
import { serviceAllocation } from './registry/allocation/service-allocation.ts';
import { addressRange, portRange } from './registry/allocation/value-range.ts';
import { bootstrap } from './registry/bootstrap.ts';
import { Registry } from './registry/registry.ts';
import type { User } from './registry/write.ts';
import { createApiServer, type ApiServer } from './server/api-server.ts';
import { listen, type Listener } from './server/listener.ts';
import { defaultHistoryBounds, type HistoryBounds, type Storage } from './storage/storage.ts';
import { version } from './version.ts';

const loopback = '127.0.0.1';
const defaultServiceRange = '10.0.0.0/16';
const defaultNodePorts = { first: 30_000, last: 32_767 };

/** Starts a cluster; it serves when the promise resolves. What was started on the way is closed again when it cannot. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { clock = systemClock, logger = silentLogger, ids = randomIds } = options;
  const opened: (() => Promise<void> | void)[] = [];
  const close = async (): Promise<void> => {
    while (opened.length > 0) await opened.pop()!();
  };
  try {
    const storage = await openStorage(options.storage, { clock, history: options.history });
    opened.push(() => storage.close());
    const addresses = addressRange(options.serviceClusterIpRange ?? defaultServiceRange);
    const registry = openRegistry(options, { storage, addresses, clock, ids, logger });
    opened.push(() => registry.close());
    const certificates = await openCertificates(options, { clock, logger, extraNames: [addresses.at(0)] });
    opened.push(() => certificates.close());
    const server = createApiServer({
      registry,
      kinds,
      logger,
      clock,
      ids,
      authenticate: await authenticator(options),
      componentStatuses: { list: () => componentStatuses(storage) },
      health: { livez: [storageCheck(storage)], readyz: [storageCheck(storage)] },
      release: version,
      limits: { requestsInFlight: options.maxRequestsInflight },
    });
    const ports = await openPorts(options, { server, certificates, logger, clock });
    // Watches first, so that ports have nothing to wait for.
    opened.push(...ports.listeners.map((listener) => () => listener.close()), () => server.close());
    await bootstrap(registry, { serviceAddress: addresses.at(0), securePort: ports.securePort });
    const { authority, admin } = certificates.current;
    const secureUrl = `https://${reachable(options.bindAddress)}:${ports.securePort}`;
    return { secureUrl, insecureUrl: ports.insecureUrl, admin: { server: secureUrl, authority, ...admin }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Base {
  readonly clock: Clock;
  readonly logger: Logger;
}

async function openStorage(
  choice: StorageChoice = { make: 'memory' },
  { clock, history }: { clock: Clock; history: Partial<HistoryBounds> | undefined },
): Promise<Storage> {
  const bounds = { ...defaultHistoryBounds, ...history };
  if (choice.make === 'memory') {
    const { openMemoryStorage } = await import('./storage/memory/memory-storage.ts');
    return openMemoryStorage({ clock, history: bounds });
  }
  const { openLmdbStorage } = await import('./storage/lmdb/lmdb-storage.ts');
  return openLmdbStorage({ path: join(choice.directory, 'storage'), clock, history: bounds });
}

type RegistryBase = Base & {
  readonly storage: Storage;
  readonly addresses: ReturnType<typeof addressRange>;
  readonly ids: NonNullable<ClusterOptions['ids']>;
};

function openRegistry(options: ClusterOptions, { storage, addresses, ...rest }: RegistryBase): Registry {
  const { first, last } = options.serviceNodePortRange ?? defaultNodePorts;
  const allocation = serviceAllocation({
    clusterIPs: new Allocator(storage, 'serviceips', addresses),
    nodePorts: new Allocator(storage, 'servicenodeports', portRange(`${first}-${last}`)),
  });
  const admission = [...admissionChain(options.admissionControl ?? defaultAdmission, { storage }), allocation];
  return new Registry({ storage, kinds, admission, ...rest });
}

async function openCertificates(
  { storage }: ClusterOptions,
  { clock, logger, extraNames }: Base & { extraNames: readonly string[] },
): Promise<CertificateKeeper> {
  const store =
    storage?.make === 'lmdb' ? directoryPairStore(join(storage.directory, 'certificates')) : memoryPairStore();
  return CertificateKeeper.open({ store, names: servingNames(extraNames), clock, logger });
}

/** Whoever comes over the plain port is on this machine and may do everything. */
const insecureUser: User = { name: 'system:unsecured', groups: ['system:masters'] };

async function authenticator(options: ClusterOptions): Promise<(request: IncomingMessage) => Promise<User>> {
  const chain: Authenticator[] = [clientCertificateAuthenticator()];
  if (options.tokenAuthFile !== undefined) chain.push(await readTokenFile(options.tokenAuthFile));
  const known = firstAuthenticator(chain);
  return async (request) => {
    if (!(request.socket instanceof TLSSocket)) return insecureUser;
    const user = known.authenticate(request);
    if (!user) throw unauthorized('show a client certificate of this cluster, or a bearer token that it knows');
    return user;
  };
}

interface Ports {
  readonly listeners: readonly Listener[];
  readonly securePort: number;
  readonly insecureUrl?: string;
}

async function openPorts(
  options: ClusterOptions,
  { server, certificates, ...base }: Base & { server: ApiServer; certificates: CertificateKeeper },
): Promise<Ports> {
  const { authority, serving } = certificates.current;
  const serve = {
    handler: (request: IncomingMessage, response: Parameters<ApiServer['handler']>[1]) =>
      server.handler(request, response),
    onUpgrade: (...upgrade: Parameters<ApiServer['onUpgrade']>) => server.onUpgrade(...upgrade),
    ...base,
  };
  const tls = { key: serving.key, cert: serving.certificate, ca: authority, requestClientCert: true };
  const address = options.bindAddress ?? loopback;
  const secure = await listen({ ...serve, tls, address, port: options.securePort ?? 0 });
  if (options.insecurePort === undefined) return { listeners: [secure], securePort: secure.port };
  try {
    const plain = await listen({ ...serve, address: loopback, port: options.insecurePort });
    base.logger.warn('serving plain HTTP to this machine, everything allowed', { address: loopback, port: plain.port });
    const insecureUrl = `http://${loopback}:${plain.port}`;
    return { listeners: [secure, plain], securePort: secure.port, insecureUrl };
  } catch (error) {
    await secure.close();
    throw error;
  }
}

function reachable(address = loopback): string {
  if (address === '0.0.0.0' || address === '::') return loopback;
  return address.includes(':') ? `[${address}]` : address;
}

function storageCheck(storage: Storage): { name: string; check(): Promise<void> } {
  return { name: 'storage', check: async () => void (await storage.revision()) };
}

async function componentStatuses(storage: Storage): Promise<ComponentStatus[]> {
  const condition = await storage.revision().then(
    () => ({ type: 'Healthy', status: 'True', message: 'ok' }),
    (error: unknown) => ({ type: 'Healthy', status: 'False', error: String(error) }),
  );
  const metadata = { name: 'storage', selfLink: '/api/v1/componentstatuses/storage' };
  return [{ kind: 'ComponentStatus', apiVersion: 'v1', metadata, conditions: [condition] }];
}
