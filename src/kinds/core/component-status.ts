import { list, object, string, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';

const componentConditionFields = {
  type: string('What the condition is about; always Healthy.').mandatory(),
  status: string('True, False or Unknown.').mandatory(),
  message: string('What the component says about itself.'),
  error: string('Why the component could not be asked.'),
};
export interface ComponentCondition extends FieldsOf<typeof componentConditionFields> {}
const componentCondition: ObjectSchema<ComponentCondition> = object(
  'v1.ComponentCondition',
  'One finding about a component.',
  componentConditionFields,
);

const componentStatusFields = {
  conditions: list(componentCondition, 'What was found when the component was asked.').mergeBy('type'),
};
export interface ComponentStatus extends ApiObject, FieldsOf<typeof componentStatusFields> {}

function healthOf({ conditions = [] }: ComponentStatus): Partial<ComponentCondition> {
  return conditions.find(({ type }) => type === 'Healthy') ?? {};
}

const statusWords: Readonly<Record<string, string>> = { True: 'Healthy', False: 'Unhealthy' };

const columns: readonly Column<ComponentStatus>[] = [
  nameColumn,
  {
    name: 'Status',
    description: 'Whether the component is well.',
    read: (component) => statusWords[healthOf(component).status ?? ''] ?? 'Unknown',
  },
  {
    name: 'Message',
    description: 'What the component says about itself.',
    read: (component) => healthOf(component).message ?? '',
  },
  {
    name: 'Error',
    description: 'Why the component could not be asked.',
    read: (component) => healthOf(component).error ?? '',
  },
];

/** Worked out when it is read and never stored. */
export const componentStatus: Kind<ComponentStatus> = defineKind<ComponentStatus>({
  group: '',
  version: 'v1',
  kind: 'ComponentStatus',
  resource: 'componentstatuses',
  shortNames: ['cs'],
  namespaced: false,
  nameFormat: dnsSubdomain,
  verbs: ['get', 'list'],
  columns,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'ComponentStatus', description: 'Whether a part of the control plane is well.' },
    componentStatusFields,
  ),
  example: {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name: 'storage' },
    conditions: [{ type: 'Healthy', status: 'True' }],
  },
});
