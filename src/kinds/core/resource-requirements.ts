import { object, quantities, type FieldsOf } from '../../schema/builders.ts';
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
);
