import { equal } from '../../schema/equal.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { Path } from '../../schema/path.ts';
import { labelSelector } from '../meta/label-selector.ts';
import type { PodOwnerSpec } from './pod-template-rules.ts';

const selector = Path.of('spec', 'selector');

interface PodOwner {
  spec: PodOwnerSpec;
}

/** What apps/v1 asks of workloads beyond what is asked of all that are stored: say which pods are theirs, and stay with that. */
export const appsRules = {
  validate({ spec }: PodOwner, errors: FieldErrors): void {
    const reported = errors.list.some(({ field }) => field === selector.toString());
    if (!spec.selector && !reported) errors.required(selector, 'say which pods are its own');
  },
  validateUpdate({ spec }: PodOwner, old: PodOwner, errors: FieldErrors): void {
    if (!equal(labelSelector, spec.selector, old.spec.selector)) {
      errors.invalid(selector, spec.selector, 'cannot be changed');
    }
  },
};
