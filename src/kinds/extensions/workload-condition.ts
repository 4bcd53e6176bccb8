import { object, string, time, type FieldsOf } from '../../schema/builders.ts';
import type { ObjectSchema } from '../../schema/schema.ts';

/** What the conditions of all workloads have. */
export const conditionFields = {
  type: string('What this is about.').mandatory().always(''),
  status: string('True, False or Unknown.').mandatory().always(''),
  lastTransitionTime: time('When this last changed.'),
  reason: string('Why it changed, for machines.'),
  message: string('Why it changed, for people.'),
};

const description = 'One thing that holds of a workload or does not.';

export interface WorkloadCondition extends FieldsOf<typeof conditionFields> {}

/** The conditions of one kind of workload. */
export function workloadCondition(name: string): ObjectSchema<WorkloadCondition> {
  return object(name, description, conditionFields);
}

const { type, status, ...why } = conditionFields;
const deploymentConditionFields = {
  type,
  status,
  lastUpdateTime: time('When this was last looked at and found otherwise.'),
  ...why,
};
/** Available, Progressing or ReplicaFailure. */
export interface DeploymentCondition extends FieldsOf<typeof deploymentConditionFields> {}
export const deploymentCondition: ObjectSchema<DeploymentCondition> = object(
  'v1beta1.DeploymentCondition',
  description,
  deploymentConditionFields,
);
