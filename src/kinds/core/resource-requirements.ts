import { object, quantities, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { qualifiedName } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import { parseQuantity } from '../../schema/quantity.ts';
import type { ObjectSchema } from '../../schema/schema.ts';

const resourceRequirementsFields = {
  limits: quantities('The most of each resource that may be used.'),
  requests: quantities('How much of each resource is set aside.'),
};
export interface ResourceRequirements extends FieldsOf<typeof resourceRequirementsFields> {}
export const resourceRequirements: ObjectSchema<ResourceRequirements> = object(
  'v1.ResourceRequirements',
  'What a container or claim asks for, and where its bounds are.',
  resourceRequirementsFields,
  { validate: validateRequirements },
);

/** Names of resources that need no prefix. */
export const standardResources: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'storage',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]);

/** A resource has a standard name, or one with a prefix. */
export function validateResourceName(name: string, path: Path, errors: FieldErrors): void {
  const wrong = qualifiedName.check(name);
  if (wrong) errors.invalid(path, name, wrong);
  else if (!name.includes('/') && !standardResources.has(name)) {
    errors.invalid(path, name, 'is no standard resource; others have a prefix, as in example.com/name');
  }
}

function validateRequirements(
  { limits = {}, requests = {} }: ResourceRequirements,
  path: Path,
  errors: FieldErrors,
): void {
  validateAmounts(limits, path.at('limits'), errors);
  for (const [name, limit] of Object.entries(limits)) {
    const request = Object.hasOwn(requests, name) ? requests[name] : undefined;
    if (request !== undefined && nanos(limit) < nanos(request)) {
      errors.invalid(path.at('limits').key(name), limit, `must be at least the request of ${request}`);
    }
  }
  validateAmounts(requests, path.at('requests'), errors);
}

function validateAmounts(amounts: Record<string, string>, path: Path, errors: FieldErrors): void {
  for (const [name, amount] of Object.entries(amounts)) {
    validateResourceName(name, path.key(name), errors);
    if (standardResources.has(name) && nanos(amount) < 0n) {
      errors.invalid(path.key(name), amount, 'must not be negative');
    }
  }
}

function nanos(amount: string): bigint {
  return parseQuantity(amount)?.nanos ?? 0n;
}
