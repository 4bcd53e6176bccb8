import type { User } from '../registry/write.ts';

/** What a request wants to do, in the terms that authorization decides on. */
export interface RequestAction {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; the method in small letters for other paths. */
  readonly verb: string;
  readonly path: string;
  /** The rest is absent for paths that are no resource. */
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Refuses by throwing an `ApiError`. */
export type Authorize = (user: User, action: RequestAction) => Promise<void>;
