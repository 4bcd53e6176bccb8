import { seededIds } from '../../base/ids.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { kinds } from '../../kinds/index.ts';
import { Registry } from '../../registry/registry.ts';
import { openMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { HistoryBounds, Storage } from '../../storage/storage.ts';
import { createApiServer, type ApiServer, type ApiServerParts } from '../api-server.ts';
import { listen } from '../http/listener.ts';
import { metricsKinds } from '../usage/metrics-kinds.ts';
import { NodeSummaries } from '../usage/node-summaries.ts';
import { send, type ReceivedAnswer, type SentRequest } from './http-client.ts';
import { openWatch, type WatchClient } from './watch-client.ts';

export interface RunningServer {
  readonly url: string;
  readonly clock: SteppedClock;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly api: ApiServer;
  send(method: string, path: string, sent?: SentRequest): Promise<ReceivedAnswer>;
  watch(path: string, headers?: Readonly<Record<string, string>>): Promise<WatchClient>;
  close(): Promise<void>;
}

export type RunningServerOptions = Partial<
  Pick<ApiServerParts, 'authenticate' | 'authorize' | 'limits' | 'health' | 'metrics' | 'audit' | 'nodes'>
> & {
  readonly history?: HistoryBounds;
  readonly logger?: Logger;
};

/** The real server with every kind, on memory storage and a free port, with a clock that stands still. */
export async function startServer(options: RunningServerOptions = {}): Promise<RunningServer> {
  const { history, logger = silentLogger, ...parts } = options;
  const clock = new SteppedClock();
  const ids = seededIds(1);
  const storage = openMemoryStorage({ clock, history });
  const registry = new Registry({ storage, kinds, admission: [], clock, ids, logger });
  const healthy = { type: 'Healthy', status: 'True' };
  const component = { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name: 'storage' }, conditions: [healthy] };
  const summaries = parts.nodes && new NodeSummaries({ connections: parts.nodes, clock, logger });
  const api = createApiServer({
    answeredKinds: summaries && metricsKinds({ registry, summaries, clock }),
    registry,
    kinds,
    logger,
    clock,
    ids,
    authenticate: () => Promise.resolve({ name: 'tester', groups: [] }),
    componentStatuses: { list: () => Promise.resolve([component]) },
    health: {},
    release: '0.0.0',
    ...parts,
  });
  const listener = await listen({
    handler: (request, response) => api.handler(request, response),
    onUpgrade: (request, socket, head) => api.onUpgrade(request, socket, head),
    logger,
    clock,
    address: '127.0.0.1',
    port: 0,
  });
  const url = `http://127.0.0.1:${listener.port}`;
  return {
    url,
    clock,
    storage,
    registry,
    api,
    send: (method, path, sent) => send(url, method, path, sent),
    watch: (path, headers) => openWatch(url, path, headers),
    async close() {
      api.close();
      summaries?.close();
      await listener.close();
      registry.close();
      await storage.close();
    },
  };
}
