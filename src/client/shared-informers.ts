import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { SelectionOptions } from './client.ts';
import type { Informer } from './informer.ts';
import { MetadataWatcher } from './metadata-watcher.ts';
import { openInformer, type InformerParts } from './open-informer.ts';
import { selectionQuery } from './selection-query.ts';

/** One informer for each kind and selection, opened when first asked for and shared from then on. */
export class SharedInformers {
  readonly #parts: InformerParts;
  readonly #metadataParts: InformerParts;
  readonly #informers = new Map<Kind, Map<string, Informer<ApiObject>>>();
  readonly #ofMetadata = new Map<Kind, Informer<ApiObject>>();
  #isClosed = false;

  constructor(parts: InformerParts) {
    this.#parts = parts;
    this.#metadataParts = { ...parts, client: new MetadataWatcher(parts.client) };
  }

  /** Everything of a kind, but of each object only who it is, whom it belongs to and whether it is going. */
  metadataOf(kind: Kind): Informer<ApiObject> {
    this.#checkOpen(kind);
    let informer = this.#ofMetadata.get(kind);
    if (!informer) this.#ofMetadata.set(kind, (informer = openInformer({ ...this.#metadataParts, kind })));
    return informer;
  }

  of<T extends ApiObject>(kind: Kind<T>, selection: SelectionOptions = {}): Informer<T> {
    this.#checkOpen(kind);
    let ofKind = this.#informers.get(kind);
    if (!ofKind) this.#informers.set(kind, (ofKind = new Map<string, Informer<ApiObject>>()));
    const { namespace = '' } = selection;
    const text = JSON.stringify([namespace, selectionQuery(selection)]);
    // What is under a kind was opened for it, so its objects are of that kind's type.
    const known = ofKind.get(text) as Informer<T> | undefined;
    if (known) return known;
    const informer = openInformer({ ...this.#parts, kind, selection });
    ofKind.set(text, informer);
    return informer;
  }

  /** Resolves when all informers that were asked for so far are complete. */
  async synced(): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.synced));
  }

  close(): void {
    this.#isClosed = true;
    for (const informer of this.#all()) informer.close();
  }

  #checkOpen({ resource }: Kind): void {
    if (this.#isClosed) throw new Error(`informers are closed; there is none of ${resource} any more`);
  }

  #all(): Informer<ApiObject>[] {
    const whole = [...this.#informers.values()].flatMap((ofKind) => [...ofKind.values()]);
    return [...whole, ...this.#ofMetadata.values()];
  }
}
