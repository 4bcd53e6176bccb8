import { silentLogger } from '../../base/logger.ts';
import { seededIds } from '../../base/ids.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { configMap } from '../../kinds/core/config-map.ts';
import { namespace } from '../../kinds/core/namespace.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { servedVersions, type ServedVersion } from '../../kinds/served-version.ts';
import { openMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { presentObject } from '../encoding.ts';
import { Registry } from '../registry.ts';
import { parseSelection, type SelectorTexts } from '../selectors/selection.ts';
import type { StoredObject } from '../stored-object.ts';
import type { WriteOptions } from '../write.ts';

export const writeOptions: WriteOptions = {
  user: { name: 'tester', groups: [] },
  dryRun: false,
  fieldValidation: 'Warn',
};

export function serve(kind: Kind): ServedVersion {
  return servedVersions(kind)[0]!;
}

/** What a client would get. */
export function shown(stored: StoredObject): ApiObject & Record<string, unknown> {
  return presentObject(stored, serve(stored.kind)) as ApiObject & Record<string, unknown>;
}

export interface ConfigMapParts {
  readonly labels?: Record<string, string>;
  readonly data?: Record<string, string>;
}

export interface TestRegistry {
  readonly registry: Registry;
  readonly storage: Storage;
  readonly clock: SteppedClock;
  /** Creates a config map in namespace `one`. */
  readonly createConfigMap: (name: string, parts?: ConfigMapParts) => Promise<StoredObject>;
  readonly names: (texts?: SelectorTexts) => Promise<string[]>;
}

/** The real registry on memory storage, with a clock that stands still. */
export function openRegistry(
  options: { admission?: readonly AdmissionPlugin[]; storage?: Storage } = {},
): TestRegistry {
  const clock = new SteppedClock();
  const storage = options.storage ?? openMemoryStorage({ clock });
  const registry = new Registry({
    storage,
    kinds: [configMap, namespace],
    admission: options.admission ?? [],
    clock,
    ids: seededIds(1),
    logger: silentLogger,
  });
  const address = { served: serve(configMap), namespace: 'one' };
  return {
    registry,
    storage,
    clock,
    async createConfigMap(name, { labels, data } = {}) {
      const { object } = await registry.create(address, {
        ...writeOptions,
        body: { metadata: { name, labels }, data },
      });
      return object;
    },
    async names(texts = {}) {
      const list = await registry.list(address, { selection: parseSelection(texts, configMap) });
      return list.entries.map(({ key }) => key.split('/').at(-1)!);
    },
  };
}
