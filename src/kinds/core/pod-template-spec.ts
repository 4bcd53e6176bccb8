import { object, one, type FieldsOf } from '../../schema/builders.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { templateMeta } from '../meta/object-meta.ts';
import { podSpec, type PodSpec } from './pod/pod-spec.ts';

const podTemplateSpecFields = {
  metadata: one(templateMeta, 'Labels and annotations of the pods.').mandatory().defaultsTo({}),
  spec: one(podSpec, 'What the pods are to be.')
    .mandatory()
    .defaultsTo({} as PodSpec),
};
export interface PodTemplateSpec extends FieldsOf<typeof podTemplateSpecFields> {}
/** What a controller makes pods from. */
export const podTemplateSpec: ObjectSchema<PodTemplateSpec> = object(
  'v1.PodTemplateSpec',
  'What pods are made from.',
  podTemplateSpecFields,
);
