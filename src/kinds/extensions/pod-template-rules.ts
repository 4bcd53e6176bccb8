import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import type { PodTemplateSpec } from '../core/pod-template-spec.ts';
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
  if (labels && !spec.selector) spec.selector = { matchLabels: { ...labels } };
}

/** Without labels of its own, a workload has those of its pods. */
export function completeLabels(object: ApiObject & { spec: PodOwnerSpec }): void {
  const { metadata, spec } = object;
  const { labels } = spec.template.metadata;
  // Empty labels were kept until here because they make an empty selector, where none at all make no selector.
  if (isEmpty(labels)) delete spec.template.metadata.labels;
  else if (isEmpty(metadata.labels)) metadata.labels = { ...labels };
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
  if (!selector) errors.required(path.at('selector'), 'give labels that the pods have');
  else if (isEmptySelector(selector)) errors.invalid(path.at('selector'), selector, emptySelector);
  const mistake = selector && selectorMistake(selector);
  if (mistake) return errors.invalid(path.at('selector'), selector, mistake);
  validateTemplateLabels(spec, path, errors);
  if (replicas > 1) validateReadOnlyDisks(template, path.at('template'), errors);
  validateRestartPolicy(template, ['Always'], path.at('template'), errors);
}

const emptySelector = 'an empty selector would take every pod of the namespace';

/** Rules of workloads whose selector may be wrong without the reference saying so twice. */
export function validateSelection(spec: PodOwnerSpec, path: Path, errors: FieldErrors): void {
  const { selector } = spec;
  const where = path.at('selector');
  if (selector && isEmptySelector(selector)) errors.invalid(where, selector, emptySelector);
  const mistake = selector && selectorMistake(selector);
  if (mistake === undefined) return validateTemplateLabels(spec, path, errors);
  const reported = errors.list.some(({ field }) => field.startsWith(`${where.toString()}.`));
  if (!reported) errors.invalid(where, selector, mistake);
}

/** What a workload makes, it must select; otherwise it would make pods for ever. */
function validateTemplateLabels({ selector, template }: PodOwnerSpec, path: Path, errors: FieldErrors): void {
  const { labels } = template.metadata;
  if (!selectsLabels(selector, labels)) {
    errors.invalid(path.at('template').at('metadata').at('labels'), labels ?? {}, 'the selector does not match them');
  }
}

/** Only a disk that nobody writes can be mounted on several nodes at once. */
export function validateReadOnlyDisks(template: PodTemplateSpec, path: Path, errors: FieldErrors): void {
  const volumes = path.at('spec').at('volumes');
  (template.spec.volumes ?? []).forEach(({ gcePersistentDisk }, i) => {
    if (!gcePersistentDisk || gcePersistentDisk.readOnly) return;
    const where = volumes.index(i).at('gcePersistentDisk').at('readOnly');
    errors.invalid(where, false, 'must be true where pods run on several nodes');
  });
}

type RestartPolicy = NonNullable<PodTemplateSpec['spec']['restartPolicy']>;

export function validateRestartPolicy(
  template: PodTemplateSpec,
  allowed: readonly RestartPolicy[],
  path: Path,
  errors: FieldErrors,
): void {
  const { restartPolicy = 'Always' } = template.spec;
  if (!allowed.includes(restartPolicy)) {
    errors.notSupported(path.at('spec').at('restartPolicy'), restartPolicy, allowed);
  }
}
