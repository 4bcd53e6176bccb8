import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { SelectionOptions } from './client.ts';
import type { Informer } from './informer.ts';

/** One informer for each kind and selection, opened when first asked for and shared from then on. */
export interface SharedInformers {
  of<T extends ApiObject>(kind: Kind<T>, selection?: SelectionOptions): Informer<T>;
  /** Resolves when all informers that were asked for so far are complete. */
  synced(): Promise<void>;
  close(): void;
}
