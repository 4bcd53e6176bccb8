import type { Reader } from '../../client/client.ts';
import type { Informer } from '../../client/informer.ts';
import { keyOf, type ObjectName } from '../../client/object-name.ts';
import { openInformer, type InformerParts } from '../../client/open-informer.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

export interface FollowedObjectsOptions extends InformerParts {
  readonly client: InformerParts['client'] & Pick<Reader, 'get'>;
}

interface Followed {
  readonly informer: Informer<ApiObject>;
  readonly listeners: Set<() => void>;
}

/**
 * Single objects, each followed by a watch of its own for as long as somebody is interested: the agent of a node may see only what its pods use, so
 * it cannot watch all objects of a kind.
 */
export class FollowedObjects {
  readonly #options: FollowedObjectsOptions;
  readonly #followed = new Map<string, Followed>();

  constructor(options: FollowedObjectsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#followed.size;
  }

  /** Calls back when the object is there, changes or goes. Returns what ends that. */
  follow(kind: Kind, name: ObjectName, onChange: () => void): () => void {
    const id = idOf(kind, name);
    let followed = this.#followed.get(id);
    if (!followed) this.#followed.set(id, (followed = this.#open(kind, name)));
    const { informer, listeners } = followed;
    // One function may be given several times.
    const listener = (): void => onChange();
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#followed.get(id)?.informer !== informer) return;
      informer.close();
      this.#followed.delete(id);
    };
  }

  /** The object as it is; fails with 404 and the like as a client does, and when the signal is aborted. */
  async read<T extends ApiObject>(kind: Kind<T>, name: ObjectName, signal?: AbortSignal): Promise<T> {
    const followed = this.#followed.get(idOf(kind, name));
    // Where nothing is known yet, or the object seems to be missing, the server knows better.
    const known = followed?.informer.isSynced ? followed.informer.get(keyOf(name)) : undefined;
    return (known as T | undefined) ?? (await this.#options.client.get(kind, name, { signal }));
  }

  close(): void {
    for (const { informer } of this.#followed.values()) informer.close();
    this.#followed.clear();
  }

  #open(kind: Kind, { namespace, name }: ObjectName): Followed {
    const selection = { namespace, fields: { 'metadata.name': name } };
    const informer = openInformer({ ...this.#options, kind, selection });
    const listeners = new Set<() => void>();
    const tell = (): void => {
      for (const listener of Array.from(listeners)) listener();
    };
    informer.on({ added: tell, updated: tell, deleted: tell });
    return { informer, listeners };
  }
}

function idOf(kind: Kind, name: ObjectName): string {
  return `${kind.group}/${kind.resource}/${keyOf(name)}`;
}
