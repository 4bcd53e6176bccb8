import type { Kind } from '../kinds/kind.ts';
import { notFound } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import { LabelSelector } from './selectors/label-selector.ts';
import type { Selection } from './selectors/selection.ts';

/** A kind whose objects are worked out when they are read. Nothing of them is stored, so they have no revision and cannot be watched. */
export interface ComputedKind<T extends ApiObject = ApiObject> {
  /** In a single version, with the verbs `get` and `list`. */
  readonly kind: Kind<T>;
  /** What there is of what is wanted; more does no harm. */
  read(wanted: WantedObjects): Promise<readonly T[]>;
}

/** What somebody wants to see of a kind. */
export interface WantedObjects {
  /** All namespaces when absent. */
  readonly namespace?: string;
  /** Any when absent. */
  readonly name?: string;
  readonly labels: LabelSelector;
}

export async function listComputed<T extends ApiObject>(
  computed: ComputedKind<T>,
  namespace: string | undefined,
  selection: Selection,
): Promise<readonly T[]> {
  const wanted = { namespace: namespace ?? selection.namespace, name: selection.name, labels: selection.labels };
  const found = await computed.read(wanted);
  return found.filter((object) => isIn(object, namespace) && selection.matchesObject(object));
}

/** The object, or 404. */
export async function getComputed<T extends ApiObject>(
  computed: ComputedKind<T>,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
): Promise<T> {
  const objects = await computed.read({ namespace, name, labels: LabelSelector.everything });
  const found = objects.find((object) => isIn(object, namespace) && object.metadata.name === name);
  const { group, resource } = computed.kind;
  if (!found) throw notFound({ group, resource, name });
  return found;
}

function isIn({ metadata }: ApiObject, namespace: string | undefined): boolean {
  return namespace === undefined || metadata.namespace === namespace;
}
