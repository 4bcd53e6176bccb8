import type { RequestAction } from '../request-action.ts';

/** Resources whose bodies hold what nobody may read in a log. */
const confidential = new Set(['secrets', 'tokenreviews', 'serviceaccounts/token']);

/** Whether what is sent, and what is said about it, may not be logged. */
export function isConfidential({ resource, subresource }: RequestAction): boolean {
  if (resource === undefined) return false;
  return confidential.has(resource) || (subresource !== undefined && confidential.has(`${resource}/${subresource}`));
}
