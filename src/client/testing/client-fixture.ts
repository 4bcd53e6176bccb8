import { silentLogger } from '../../base/logger.ts';
import { seededIds, type Ids } from '../../base/ids.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { namespace } from '../../kinds/core/namespace.ts';
import { kinds } from '../../kinds/index.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { Registry } from '../../registry/registry.ts';
import { openMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { HistoryBounds, Storage } from '../../storage/storage.ts';
import type { Client } from '../client.ts';
import { InProcessClient } from '../in-process-client.ts';

export interface ClientFixture {
  readonly client: Client;
  readonly clock: SteppedClock;
  readonly ids: Ids;
  readonly logger: typeof silentLogger;
  readonly storage: Storage;
  readonly registry: Registry;
  close(): Promise<void>;
}

export interface ClientFixtureOptions {
  readonly admission?: readonly AdmissionPlugin[];
  readonly history?: HistoryBounds;
}

/**
 * A client of the real registry with every kind, on memory storage, with a clock that stands still. What watchers share cannot be changed, so a
 * test fails where something tries to. The namespaces `default` and `one` are there.
 */
export async function openClient({ admission = [], history }: ClientFixtureOptions = {}): Promise<ClientFixture> {
  const clock = new SteppedClock();
  const ids = seededIds(1);
  const logger = silentLogger;
  const storage = openMemoryStorage({ clock, history });
  const registry = new Registry({ storage, kinds, admission, clock, ids, logger });
  const client = new InProcessClient({ registry, user: { name: 'tester', groups: [] }, freezesShared: true });
  for (const name of ['default', 'one']) {
    await client.create(namespace, { kind: 'Namespace', apiVersion: 'v1', metadata: { name } });
  }
  return {
    client,
    clock,
    ids,
    logger,
    storage,
    registry,
    async close() {
      registry.close();
      await storage.close();
    },
  };
}
