import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { User } from './write.ts';

/** A write that is about to happen. */
export interface Attempt {
  readonly operation: 'create' | 'update' | 'delete';
  readonly kind: Kind;
  /** Empty for kinds of the cluster. */
  readonly namespace: string;
  /** Empty when the name is to be generated or a collection is deleted. */
  readonly name: string;
  readonly subresource?: string;
  /** What is to be stored; absent for delete. `mutate` may change it. */
  readonly object?: ApiObject;
  /** What is stored; absent for create. Read-only. */
  readonly old?: ApiObject;
  readonly user: User;
  readonly dryRun: boolean;
}

/** A say in every write. A plugin refuses by throwing an `ApiError`. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Before validation: may change the object. */
  mutate?(attempt: Attempt): Promise<void>;
  /**
   * After validation, in the chain's order, just before the commit. What it reserves is given back by calling what it returns,
   * when the commit fails.
   */
  validate?(attempt: Attempt): Promise<void | (() => Promise<void>)>;
}

export type Admission = readonly AdmissionPlugin[];

export async function mutate(chain: Admission, attempt: Attempt): Promise<void> {
  for (const plugin of chain) await plugin.mutate?.(attempt);
}

/** Lets every plugin check, then runs `commit`; what plugins reserved is given back if anything fails on the way. */
export async function admitAndCommit<T>(chain: Admission, attempt: Attempt, commit: () => Promise<T>): Promise<T> {
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const plugin of chain) {
      const release = await plugin.validate?.(attempt);
      if (release) undo.push(release);
    }
    return await commit();
  } catch (error) {
    for (const release of undo.reverse()) await release();
    throw error;
  }
}
