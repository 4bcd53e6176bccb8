import { forbidden, type ApiError } from '../../kinds/meta/api-error.ts';
import type { Attempt } from '../../registry/admission.ts';

/** 403 for the object that was to be written; one that has no name yet is called Unknown, as in the reference. */
export function refusal({ kind, group = kind.group, name }: Attempt, why: string): ApiError {
  return forbidden({ group, resource: kind.resource, name: name || 'Unknown' }, why);
}
