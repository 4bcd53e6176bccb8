import type { Informer } from '../../client/informer.ts';
import { keyOf } from '../../client/object-name.ts';
import { isNewerRevision } from '../../client/revision.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

interface Unseen<T> {
  /** The newest revision that the controller made for the key; empty when it made none. */
  revision: string;
  /** What the controller deleted. */
  readonly deleted: Set<T>;
}

/**
 * What a controller wrote for a key and the informer may not know yet. A controller that counts objects must wait until its own writes are seen,
 * or it would make or delete as many a second time. Nothing is counted here and nothing expires: each question is answered from the informer.
 */
export class OwnWrites<T extends ApiObject> {
  readonly #informer: Pick<Informer<T>, 'get' | 'resourceVersion'>;
  readonly #unseen = new Map<string, Unseen<T>>();
  /** How far the informer had come when it was last asked. */
  #reached = '';

  constructor(informer: Pick<Informer<T>, 'get' | 'resourceVersion'>) {
    this.#informer = informer;
  }

  /** The controller has created or changed the object, which is as the server answered it. */
  wrote(key: string, { metadata: { resourceVersion = '' } }: T): void {
    const unseen = this.#of(key);
    if (isNewerRevision(resourceVersion, unseen.revision)) unseen.revision = resourceVersion;
  }

  deleted(key: string, object: T): void {
    this.#of(key).deleted.add(object);
  }

  /** Whether the informer knows of everything that was written for the key. */
  areSeen(key: string): boolean {
    this.#noteStepBack();
    const unseen = this.#unseen.get(key);
    if (!unseen) return true;
    if (isNewerRevision(unseen.revision, this.#informer.resourceVersion)) return false;
    for (const object of unseen.deleted) {
      if (this.#isGone(object)) unseen.deleted.delete(object);
    }
    if (unseen.deleted.size > 0) return false;
    this.#unseen.delete(key);
    return true;
  }

  forget(key: string): void {
    this.#unseen.delete(key);
  }

  /** A server that lost its storage has lost what was written, too: nobody will ever see that. */
  #noteStepBack(): void {
    const { resourceVersion } = this.#informer;
    if (isNewerRevision(this.#reached, resourceVersion)) this.#unseen.clear();
    this.#reached = resourceVersion;
  }

  #of(key: string): Unseen<T> {
    let unseen = this.#unseen.get(key);
    if (!unseen) this.#unseen.set(key, (unseen = { revision: '', deleted: new Set() }));
    return unseen;
  }

  /** Gone, replaced by another of its name, or marked to go. */
  #isGone(object: T): boolean {
    const known = this.#informer.get(keyOf(object));
    return known?.metadata.uid !== object.metadata.uid || known?.metadata.deletionTimestamp !== undefined;
  }
}
