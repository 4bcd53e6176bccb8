import assert from 'node:assert/strict';
import { SteppedClock } from '../../../base/stepped-clock.ts';
import type { Pod } from '../../../kinds/core/pod.ts';
import { pod } from '../../../kinds/core/pod.ts';
import type { Kind } from '../../../kinds/kind.ts';
import { ApiError } from '../../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../../kinds/meta/object-meta.ts';
import type { Registry } from '../../../registry/registry.ts';
import { openRegistry, serve, shown, writeOptions } from '../../../registry/testing/open-registry.ts';
import { openMemoryStorage } from '../../../storage/memory/memory-storage.ts';
import type { Storage } from '../../../storage/storage.ts';
import { admissionChain, type PluginParts } from '../plugins.ts';

export interface ObjectBody {
  readonly metadata: { readonly name?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The verbs of the real registry in namespace `one`, behind the named plugins. */
export interface AdmissionBench {
  readonly registry: Registry;
  readonly storage: Storage;
  create<T extends ApiObject>(kind: Kind<T>, body: ObjectBody, dryRun?: boolean): Promise<T>;
  replace<T extends ApiObject>(kind: Kind<T>, body: ObjectBody, subresource?: 'status'): Promise<T>;
  label(kind: Kind, name: string): Promise<ApiObject>;
  get<T extends ApiObject>(kind: Kind<T>, name: string): Promise<T>;
  remove(kind: Kind, name: string): Promise<void>;
  createPod(name: string, ...resources: object[]): Promise<Pod>;
}

/** A second bench on the same storage stands for a second server. */
export function openAdmission(
  names: readonly string[],
  storage?: Storage,
  parts: Omit<PluginParts, 'storage'> = {},
): AdmissionBench {
  const opened = storage ?? openMemoryStorage({ clock: new SteppedClock() });
  const admission = admissionChain(names, { ...parts, storage: opened });
  const { registry } = openRegistry({ storage: opened, admission });
  const addressOf = (kind: Kind, name: string) => ({ served: serve(kind), namespace: 'one', name });
  const bench: AdmissionBench = {
    registry,
    storage: opened,
    async create<T extends ApiObject>(kind: Kind<T>, body: ObjectBody, dryRun = false) {
      const { object } = await registry.create(addressOf(kind, ''), { ...writeOptions, dryRun, body });
      return shown(object) as ApiObject as T;
    },
    async replace<T extends ApiObject>(kind: Kind<T>, body: ObjectBody, subresource?: 'status') {
      const address = addressOf(kind, body.metadata.name ?? '');
      const { object } = await registry.update(address, { ...writeOptions, body, subresource });
      return shown(object) as ApiObject as T;
    },
    async label(kind, name) {
      const patch = { type: 'application/merge-patch+json', body: { metadata: { labels: { a: 'b' } } } } as const;
      const { object } = await registry.patch(addressOf(kind, name), { ...writeOptions, ...patch });
      return shown(object);
    },
    async get<T extends ApiObject>(kind: Kind<T>, name: string) {
      return shown(await registry.get(addressOf(kind, name))) as ApiObject as T;
    },
    async remove(kind, name) {
      await registry.delete(addressOf(kind, name), writeOptions);
    },
    createPod: (name, ...resources) => bench.create(pod, podBody(name, ...resources)),
  };
  return bench;
}

/** A pod with a container for each of the resources, called a, b, ...; with one that asks for nothing when there are none. */
export function podBody(name: string, ...resources: object[]): ObjectBody & { spec: { containers: object[] } } {
  const asked = resources.length > 0 ? resources : [{}];
  const containers = asked.map((each, i) => ({ name: 'abcdef'[i], image: 'busybox:1.24', resources: each }));
  return { metadata: { name }, spec: { containers } };
}

/** For `assert.rejects`: an answer with this code whose message says each of these. */
export function refusedWith(code: number, ...words: (string | RegExp)[]): (error: unknown) => true {
  return (error) => {
    assert(error instanceof ApiError, String(error));
    assert.equal(error.code, code, error.message);
    for (const word of words) {
      assert(typeof word === 'string' ? error.message.includes(word) : word.test(error.message), error.message);
    }
    return true;
  };
}
