import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { ServedVersion } from '../../kinds/served-version.ts';
import { selfLink } from '../../registry/address.ts';
import type { StoredObject } from '../../registry/stored-object.ts';

/** The object without what a user cannot specify. `exact` keeps what ties it to this cluster, such as its namespace. */
export function exportObject(stored: StoredObject, served: ServedVersion, exact: boolean): ApiObject {
  const object = stored.thaw();
  const { name = '', namespace } = object.metadata;
  for (const field of ['uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'] as const) {
    delete object.metadata[field];
  }
  if (!exact) {
    delete object.metadata.namespace;
    // A name that was made up is made up again.
    if (object.metadata.generateName) delete object.metadata.name;
  }
  // What is exported is to be made anew, and begins to count with that.
  if (stored.kind.countsGenerations) object.metadata.generation = 1;
  stored.kind.prepareForExport?.(object, exact);
  const shown = served.conversion ? served.conversion.fromStored(object) : object;
  return { ...shown, metadata: { ...shown.metadata, selfLink: selfLink(served, namespace, name) } };
}
