import type { ApiObject } from '../../meta/object-meta.ts';
import type { Amounts } from './amounts.ts';

/** How objects of a kind count against quotas. */
export interface QuotaRule<T extends ApiObject = ApiObject> {
  /** Names under which a quota can bound them. */
  readonly resources: readonly string[];
  usage(object: T): Amounts;
  /** Whether the object is one of those that a scope is about. */
  isInScope(object: T, scope: string): boolean;
  /** Those of the named resources that the object must state and does not. */
  unstated(object: T, names: readonly string[]): readonly string[];
}
