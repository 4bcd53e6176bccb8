import type { Informer } from '../../client/informer.ts';
import { controllerOf, controllerUids } from '../../kinds/meta/controller-reference.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

/** The namespace of an object that nobody controls, as an index takes it. */
function orphanNamespaces(object: ApiObject): readonly string[] {
  return controllerOf(object) ? [] : [object.metadata.namespace ?? ''];
}

/** What may belong to an owner: what names it as its controller, and what nobody controls in its namespace. */
export function claimCandidates<T extends ApiObject>(informer: Informer<T>, owner: ApiObject): readonly T[] {
  const { uid = '', namespace = '' } = owner.metadata;
  const owned = informer.index(controllerUids).get(uid);
  return [...owned, ...informer.index(orphanNamespaces).get(namespace)];
}
