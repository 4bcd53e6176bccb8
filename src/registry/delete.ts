import type { StoredObject } from './stored-object.ts';
import type { User } from './write.ts';

export interface DeleteRequest {
  readonly user: User;
  readonly dryRun: boolean;
  /** The parsed body, a DeleteOptions; absent when none was sent. */
  readonly body?: unknown;
}

export interface DeleteResult {
  /** The object as it was last, or as it is now that it waits for its end. */
  readonly object: StoredObject;
  /** False when the object is still there and on its way out. */
  readonly removed: boolean;
}
