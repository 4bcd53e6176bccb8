import type { Metrics, Sample } from '../base/metrics/metrics.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Storage } from '../storage/storage.ts';
import { collectionPrefix } from './address.ts';

/** Tells how many objects of each kind there are. Storage counts them without reading them. */
export function measureObjectCounts(metrics: Metrics, storage: Storage, kinds: readonly Kind[]): void {
  const count = async (kind: Kind): Promise<Sample> => {
    const { entries, remaining } = await storage.list(collectionPrefix(kind), { limit: 1 });
    const resource = kind.group ? `${kind.resource}.${kind.group}` : kind.resource;
    return { labels: { resource }, value: entries.length + remaining };
  };
  metrics.computed({ name: 'apiserver_storage_objects', help: 'Stored objects, by resource.' }, 'gauge', () =>
    Promise.all(kinds.map(count)),
  );
}
