import type { Informer } from '../../client/informer.ts';
import { keyOf } from '../../client/object-name.ts';
import { controllerOf } from '../../kinds/meta/controller-reference.ts';
import { isEmptySelector, selectsLabels, type LabelSelector } from '../../kinds/meta/label-selector.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

/** Owners of one kind, and which objects are theirs. */
export interface Owners<Owner extends ApiObject> {
  readonly informer: Informer<Owner>;
  readonly getSelector: (owner: Owner) => LabelSelector | undefined;
}

/** Whom an object concerns: its controller where that is of this kind, or whoever may adopt it when it has none. */
export function possibleOwners<Owner extends ApiObject>(
  object: ApiObject,
  { informer, getSelector }: Owners<Owner>,
): string[] {
  const { namespace, labels } = object.metadata;
  const controller = controllerOf(object);
  if (controller) return controller.kind === informer.kind.kind ? [keyOf({ namespace, name: controller.name })] : [];
  return informer
    .list(namespace)
    .filter((owner) => ownSelectorPicks(getSelector(owner), labels))
    .map((owner) => keyOf(owner));
}

/** Whether an owner's selector picks labels. An empty one would take everything in the namespace; it counts as none. */
export function ownSelectorPicks(
  selector: LabelSelector | undefined,
  labels: Record<string, string> | undefined,
): boolean {
  return selector !== undefined && !isEmptySelector(selector) && selectsLabels(selector, labels);
}
