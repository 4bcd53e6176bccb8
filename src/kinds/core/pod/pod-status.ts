import { list, object, string, time, type FieldsOf } from '../../../schema/builders.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';
import { containerStatus } from './container-status.ts';

const podConditionFields = {
  type: string('What is told: Ready, PodScheduled or another.').mandatory().always(''),
  status: string('True, False or Unknown.').mandatory().always(''),
  lastProbeTime: time('When this was last looked at.'),
  lastTransitionTime: time('When the status last changed.'),
  reason: string('Why it last changed, for machines.'),
  message: string('Why it last changed, for people.'),
};
export interface PodCondition extends FieldsOf<typeof podConditionFields> {}
const podCondition: ObjectSchema<PodCondition> = object(
  'v1.PodCondition',
  'One thing that is true of a pod or not.',
  podConditionFields,
);

const podStatusFields = {
  phase: string('Where the pod is in its life: Pending, Running, Succeeded, Failed or Unknown.'),
  conditions: list(podCondition, 'What is true of the pod.').mergeBy('type'),
  message: string('Why the pod is in this phase, for people.'),
  reason: string('Why the pod is in this phase, for machines.'),
  hostIP: string('Address of the node.'),
  podIP: string('Address of the pod.'),
  startTime: time('When the node took the pod on.'),
  containerStatuses: list(containerStatus, 'How each container fares.'),
};
export interface PodStatus extends FieldsOf<typeof podStatusFields> {}
export const podStatus: ObjectSchema<PodStatus> = object(
  'v1.PodStatus',
  'How a pod fares; written by its node.',
  podStatusFields,
);
