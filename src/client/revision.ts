/** Whether a resourceVersion is of a later moment than another. They are whole numbers without leading zeros, and grow; an empty one is older than all. */
export function isNewerRevision(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}
