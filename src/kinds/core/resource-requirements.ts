import { object, quantities, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import { nanosOf } from '../../schema/quantity.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { wholeUnits } from './resource-amounts.ts';

const resourceRequirementsFields = {
  limits: quantities('The most of each resource that may be used.'),
  requests: quantities('How much of each resource is set aside.'),
};
export interface ResourceRequirements extends FieldsOf<typeof resourceRequirementsFields> {}
/** What a container asks for. */
export const resourceRequirements: ObjectSchema<ResourceRequirements> = object(
  'v1.ResourceRequirements',
  'What a container or claim asks for, and where its bounds are.',
  resourceRequirementsFields,
  { validate: validateRequirements },
);

/** What a claim asks for, which as in the reference can be anything. */
export const claimResources: ObjectSchema<ResourceRequirements> = object(
  'v1.ResourceRequirements',
  'What a container or claim asks for, and where its bounds are.',
  resourceRequirementsFields,
);

/** What every node has for containers; anything else that they use up has a name with a prefix. */
const standardNames: ReadonlySet<string> = new Set(['cpu', 'memory']);

function validateRequirements(
  { limits = {}, requests = {} }: ResourceRequirements,
  path: Path,
  errors: FieldErrors,
): void {
  validateAmounts(limits, path.at('limits'), errors);
  for (const [name, limit] of Object.entries(limits)) {
    const request = Object.hasOwn(requests, name) ? requests[name] : undefined;
    if (request !== undefined && nanosOf(limit) < nanosOf(request)) {
      errors.invalid(path.at('limits').key(name), limit, `must be at least the request of ${request}`);
    }
  }
  validateAmounts(requests, path.at('requests'), errors);
}

function validateAmounts(amounts: Record<string, string>, path: Path, errors: FieldErrors): void {
  for (const [name, amount] of Object.entries(amounts)) {
    if (standardNames.has(name)) {
      // In whole units, rounded up: as in the reference, a little less than nothing is nothing.
      if (wholeUnits(amount) < 0) errors.invalid(path.key(name), amount, 'must not be negative');
    } else if (!name.includes('/')) {
      errors.invalid(path.key(name), name, 'must be cpu, memory, or a name with a prefix, such as example.com/gpu');
    }
  }
}
