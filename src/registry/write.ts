import type { WriteContext } from '../kinds/kind.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { RegistryContext } from './registry.ts';
import type { StoredObject } from './stored-object.ts';

/** What to do with fields that the kind does not have. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** Who asks. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  /** What tells this user from an earlier one of the same name. */
  readonly uid?: string;
  /** What else whoever vouched for the user said. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** Who really sent the request, where it is taken for another's. Gives no rights; it is for the audit log. */
  readonly sentBy?: User;
}

export interface WriteOptions {
  readonly user: User;
  /** All is checked and answered, nothing is stored. */
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

export interface WriteRequest extends WriteOptions {
  /** Parsed JSON, not yet looked at. */
  readonly body: unknown;
  /** Which part of the object is written: through `/status` only status, through `/finalize` only a namespace's finalizers. */
  readonly subresource?: 'status' | 'finalize';
  /** Asked before a replace creates what is missing; refuses by throwing an `ApiError`. */
  readonly confirmCreate?: () => Promise<void>;
}

export interface WriteResult {
  readonly object: StoredObject;
  /** Whether the object is new: a PUT can create, too. */
  readonly created: boolean;
  /** For `Warning` headers: fields that were dropped. */
  readonly warnings: readonly string[];
}

export function writeContext(context: RegistryContext): WriteContext {
  return { now: context.clock.now(), uid: () => context.ids.uid() };
}

/** The revision that a write was made from; 0 names none, as in the reference. */
export function revisionNamed({ metadata }: ApiObject): string | undefined {
  const { resourceVersion } = metadata;
  return resourceVersion && !/^0+$/.test(resourceVersion) ? resourceVersion : undefined;
}
