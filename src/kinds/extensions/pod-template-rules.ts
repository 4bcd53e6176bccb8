import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import { validateControllerTemplate, type PodTemplateSpec } from '../core/pod-template-spec.ts';
import { isEmptySelector, selectorMistake, selectsLabels, type LabelSelector } from '../meta/label-selector.ts';
import type { ApiObject } from '../meta/object-meta.ts';

/** The part of a workload's spec that says which pods are its own and what they are made from. */
export interface PodOwnerSpec {
  selector?: LabelSelector;
  template: PodTemplateSpec;
}

/** Without a selector of its own, a workload selects what its template makes. */
export function completeSelector(spec: PodOwnerSpec): void {
  const { labels } = spec.template.metadata;
  if (labels && !spec.selector) spec.selector = isEmpty(labels) ? {} : { matchLabels: { ...labels } };
}

/** Without labels of its own, a workload has those of its pods. */
export function completeLabels(object: ApiObject & { spec: PodOwnerSpec }): void {
  dropEmptyLabels(object);
  takeLabels(object);
}

/** The same for an object whose spec is complete and may not be touched, as when only its status is written. */
export function takeLabels({ metadata, spec }: ApiObject & { spec: PodOwnerSpec }): void {
  const { labels } = spec.template.metadata;
  if (!isEmpty(labels) && isEmpty(metadata.labels)) metadata.labels = { ...labels };
}

/** Empty labels of a template are kept until here because they make an empty selector, where none at all make no selector. */
export function dropEmptyLabels({ spec }: { spec: PodOwnerSpec }): void {
  const { metadata } = spec.template;
  if (isEmpty(metadata.labels)) delete metadata.labels;
}

function isEmpty(labels: Record<string, string> | undefined): boolean {
  return !labels || Object.keys(labels).length === 0;
}

/** Rules of workloads that keep a number of equal pods running. */
export function validateReplicatedTemplate(
  spec: PodOwnerSpec & { replicas?: number },
  path: Path,
  errors: FieldErrors,
): void {
  const { selector, template, replicas = 1 } = spec;
  const where = path.at('selector');
  if (!selector) errors.required(where, 'give labels that the pods have');
  else if (isEmptySelector(selector)) errors.invalid(where, selector, emptySelector);
  const mistake = selector && selectorMistake(selector);
  if (mistake) {
    // Named once more as a whole, and the template is not looked at, as in the reference.
    errors.forgetUnder(path.at('template'));
    return errors.invalid(where, selector, mistake);
  }
  const use = { selects: (labels: Record<string, string>) => selectsLabels(selector, labels), replicas };
  validateControllerTemplate(template, use, path.at('template'), errors);
}

const emptySelector = 'an empty selector would take every pod of the namespace';

/** A selector that chooses something and can be applied. Says whether its pods can be looked at, too. */
export function validateSelector(selector: LabelSelector | undefined, path: Path, errors: FieldErrors): boolean {
  if (!selector) return true;
  if (isEmptySelector(selector)) errors.invalid(path, selector, emptySelector);
  const mistake = selectorMistake(selector);
  if (mistake === undefined) return true;
  // Most mistakes have been reported where they stand.
  const reported = errors.list.some(({ field }) => field.startsWith(`${path.toString()}.`));
  if (!reported) errors.invalid(path, selector, mistake);
  return false;
}
