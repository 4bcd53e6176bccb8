/** The revision of an etcd that nobody ever wrote to, which is 0 in the contract of storage; the first write makes 2 of it. */
export const emptyRevision = 1;

/** A revision of etcd's as users of the storage know it. */
export function ownRevision(revision: number): number {
  return revision <= emptyRevision ? 0 : revision;
}
