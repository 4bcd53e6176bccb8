import { one, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { listed, nameColumn, pairs, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { podTemplateSpec, type PodTemplateSpec } from './pod-template-spec.ts';
import { containerImages, containerNames } from './template-columns.ts';

const podTemplateFields = {
  template: one(podTemplateSpec, 'What the pods are to be.')
    .mandatory()
    .defaultsTo({} as PodTemplateSpec),
};
export interface PodTemplate extends ApiObject, FieldsOf<typeof podTemplateFields> {}

const columns: readonly Column<PodTemplate>[] = [
  nameColumn,
  {
    name: 'Containers',
    description: 'Names of the containers in the pods.',
    read: ({ template }) => listed(containerNames(template)),
  },
  {
    name: 'Images',
    description: 'Images of the containers in the pods.',
    read: ({ template }) => listed(containerImages(template)),
  },
  {
    name: 'Pod Labels',
    description: 'Labels of the pods.',
    read: ({ template }) => pairs(template.metadata?.labels),
  },
];

export const podTemplate: Kind<PodTemplate> = defineKind<PodTemplate>({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  resource: 'podtemplates',
  namespaced: true,
  nameFormat: dnsSubdomain,
  deleteAnswersObject: true,
  columns,
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
