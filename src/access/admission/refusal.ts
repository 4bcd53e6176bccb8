import { forbidden, type ApiError, type Subject } from '../../kinds/meta/api-error.ts';
import type { Attempt } from '../../registry/admission.ts';

/** 403 for the object that was to be written. */
export function refusal(attempt: Attempt, why: string): ApiError {
  return forbidden(subjectOf(attempt), why);
}

/** What was to be written; one that has no name yet is called Unknown, as in the reference. */
export function subjectOf({ kind, group = kind.group, name }: Attempt): Subject {
  return { group, resource: kind.resource, name: name || 'Unknown' };
}
