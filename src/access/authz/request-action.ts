/** What a request wants to do, in the terms that authorization decides on. */
export interface RequestAction {
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or `proxy` for the older way to write a proxy's path; the method
   * in small letters for other paths.
   */
  readonly verb: string;
  readonly path: string;
  /** The rest is absent for paths that are no resource. */
  readonly group?: string;
  /** Nothing is decided by it. */
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  /** Also where a list can hold only an object of this name. */
  readonly name?: string;
  /** Values that fields of all objects in a list must have. */
  readonly fields?: ReadonlyMap<string, string>;
}

/** `pods`, or `pods/log`. */
export function resourceOf({ resource = '', subresource }: RequestAction): string {
  return subresource ? `${resource}/${subresource}` : resource;
}

const readingVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Whether nothing is changed. */
export function isReading({ verb }: RequestAction): boolean {
  return readingVerbs.has(verb);
}
