import { one, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { podTemplateSpec, type PodTemplateSpec } from './pod-template-spec.ts';

const podTemplateFields = {
  template: one(podTemplateSpec, 'What the pods are to be.')
    .mandatory()
    .defaultsTo({} as PodTemplateSpec),
};
export interface PodTemplate extends ApiObject, FieldsOf<typeof podTemplateFields> {}

export const podTemplate: Kind<PodTemplate> = defineKind<PodTemplate>({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  resource: 'podtemplates',
  namespaced: true,
  nameFormat: dnsSubdomain,
  deleteAnswersObject: true,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'PodTemplate', description: 'A template for pods, kept for later use.' },
    podTemplateFields,
  ),
  example: {
    kind: 'PodTemplate',
    apiVersion: 'v1',
    metadata: { name: 'web' },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx:1.9' }] } },
  },
});
