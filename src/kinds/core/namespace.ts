import { object, one, string, strings, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsLabel } from '../../schema/formats.ts';
import { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { finalizerName } from './resource-names.ts';

/** Stands for the removal of all that is in the namespace. */
export const contentFinalizer = 'kubernetes';

const namespaceSpecFields = {
  finalizers: strings('Who must act before the namespace is removed.'),
};
export interface NamespaceSpec extends FieldsOf<typeof namespaceSpecFields> {}
const namespaceSpec: ObjectSchema<NamespaceSpec> = object(
  'v1.NamespaceSpec',
  'What holds a namespace.',
  namespaceSpecFields,
);

const namespaceStatusFields = {
  phase: string('Active, or Terminating once its deletion was asked for.').defaultsTo('Active'),
};
export interface NamespaceStatus extends FieldsOf<typeof namespaceStatusFields> {}
const namespaceStatus: ObjectSchema<NamespaceStatus> = object(
  'v1.NamespaceStatus',
  'Where a namespace is in its life.',
  namespaceStatusFields,
);

const namespaceFields = {
  spec: one(namespaceSpec, 'What holds the namespace.').defaultsTo({}),
  status: one(namespaceStatus, 'Where the namespace is in its life.').defaultsTo({}),
};
export interface Namespace extends ApiObject, FieldsOf<typeof namespaceFields> {}

/** A new namespace is active, and its content is always removed before it goes. */
function begin(namespace: Namespace): void {
  const finalizers = namespace.spec?.finalizers ?? [];
  const holdsContent = finalizers.includes(contentFinalizer);
  namespace.spec = { finalizers: holdsContent ? finalizers : [...finalizers, contentFinalizer] };
  namespace.status = { phase: 'Active' };
}

/** Finalizers change only through `/finalize`. */
function keepFinalizers(namespace: Namespace, old: Namespace): void {
  namespace.spec = { ...old.spec };
}

const finalizersPath = Path.of('spec', 'finalizers');

/** On a create the reference names the list, not the item. */
function validateNewFinalizers(namespace: Namespace, errors: FieldErrors): void {
  for (const finalizer of namespace.spec?.finalizers ?? []) {
    const wrong = finalizerName.check(finalizer);
    if (wrong) errors.invalid(finalizersPath, finalizer, wrong);
  }
}

function validateFinalizers(namespace: Namespace, _old: Namespace, errors: FieldErrors): void {
  (namespace.spec?.finalizers ?? []).forEach((finalizer, i) => {
    const wrong = finalizerName.check(finalizer);
    if (wrong) errors.invalid(finalizersPath.index(i), finalizer, wrong);
  });
}

/** The phase follows from whether deletion was asked for; nobody can say otherwise. */
function validatePhase(namespace: Namespace, old: Namespace, errors: FieldErrors): void {
  const phase = namespace.status?.phase;
  const wanted = old.metadata.deletionTimestamp ? 'Terminating' : 'Active';
  if (phase === wanted) return;
  const why = wanted === 'Active' ? 'the namespace is not being deleted' : 'the namespace is being deleted';
  errors.invalid(Path.of('status', 'phase'), phase, `must be ${wanted}: ${why}`);
}

const statusColumn: Column<Namespace> = {
  name: 'Status',
  description: 'Where the namespace is in its life.',
  read: ({ status }) => status?.phase ?? '',
};

export const namespace: Kind<Namespace> = defineKind<Namespace>({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  resource: 'namespaces',
  shortNames: ['ns'],
  namespaced: false,
  nameFormat: dnsLabel,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'Namespace', description: 'A scope for the names of objects.' },
    namespaceFields,
  ),
  hasStatus: true,
  deleteAnswersObject: true,
  selectableFields: { 'status.phase': (object) => object.status?.phase ?? '' },
  columns: [nameColumn, statusColumn, ageColumn],
  example: {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name: 'team-one' },
    spec: { finalizers: [contentFinalizer] },
    status: { phase: 'Active' },
  },
  prepareForCreate: begin,
  prepareForUpdate: keepFinalizers,
  validateCreate: validateNewFinalizers,
  validateUpdate: validateFinalizers,
  validateStatusUpdate: validatePhase,
  holdsDeletion: (object) => (object.spec?.finalizers ?? []).length > 0,
  markDeletion(object) {
    object.status = { ...object.status, phase: 'Terminating' };
  },
  prepareForExport: begin,
});
