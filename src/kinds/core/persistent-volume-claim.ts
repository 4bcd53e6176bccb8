import { object, one, quantities, string, type FieldsOf } from '../../schema/builders.ts';
import { equal } from '../../schema/equal.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { accessModeLetters, accessModesField, validateAccessModes } from './access-modes.ts';
import { wholeUnits } from './resource-amounts.ts';
import { claimResources } from './resource-requirements.ts';

const claimSpecFields = {
  accessModes: accessModesField('Ways in which the volume must be mountable.'),
  resources: one(claimResources, 'How much the volume must hold, under requests.storage.').defaultsTo({}),
  volumeName: string('The volume that the claim is bound to.'),
};
export interface PersistentVolumeClaimSpec extends FieldsOf<typeof claimSpecFields> {}
const claimSpec: ObjectSchema<PersistentVolumeClaimSpec> = object(
  'v1.PersistentVolumeClaimSpec',
  'What a volume must offer to be bound to the claim.',
  claimSpecFields,
  { validate: validateSpec },
);

function validateSpec(spec: PersistentVolumeClaimSpec, path: Path, errors: FieldErrors): void {
  validateAccessModes(spec.accessModes, path.at('accessModes'), errors);
  if (spec.resources?.requests?.['storage'] === undefined) {
    errors.required(path.at('resources').at('requests').key('storage'), 'say how much storage is needed');
  }
}

const claimStatusFields = {
  phase: string('Pending, Bound or Lost.').defaultsTo('Pending'),
  accessModes: accessModesField('Ways in which the bound volume can be mounted.'),
  capacity: quantities('How much the bound volume holds.'),
};
export interface PersistentVolumeClaimStatus extends FieldsOf<typeof claimStatusFields> {}
const claimStatus: ObjectSchema<PersistentVolumeClaimStatus> = object(
  'v1.PersistentVolumeClaimStatus',
  'What a claim was given.',
  claimStatusFields,
  { validate: validateStatus },
);

function validateStatus(status: PersistentVolumeClaimStatus, path: Path, errors: FieldErrors): void {
  for (const [name, amount] of Object.entries(status.capacity ?? {})) {
    if (wholeUnits(amount) < 0) errors.invalid(path.at('capacity').key(name), amount, 'must not be negative');
  }
}

const claimFields = {
  spec: one(claimSpec, 'What the volume must offer.').defaultsTo({}),
  status: one(claimStatus, 'What the claim was given.').defaultsTo({}),
};
export interface PersistentVolumeClaim extends ApiObject, FieldsOf<typeof claimFields> {}

function resetStatus(claim: PersistentVolumeClaim): void {
  claim.status = { phase: 'Pending' };
}

function dropStatus(claim: PersistentVolumeClaim): void {
  claim.status = {};
}

/** A claim that has a volume was answered; what it asks for stays as it was. */
function validateClaimUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim, errors: FieldErrors): void {
  if (!old.spec?.volumeName || equal(claimSpec, claim.spec ?? {}, old.spec)) return;
  errors.forbidden(Path.of('spec'), `cannot be changed: the claim is bound to volume "${old.spec.volumeName}"`);
}

/** What the claim was given is known once it is bound. */
const columns: readonly Column<PersistentVolumeClaim>[] = [
  nameColumn,
  {
    name: 'Status',
    description: 'Whether the claim is bound.',
    read: ({ metadata, status }) => (metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? '')),
  },
  { name: 'Volume', description: 'The volume that it is bound to.', read: ({ spec }) => spec?.volumeName ?? '' },
  {
    name: 'Capacity',
    description: 'How much the volume holds.',
    read: ({ spec, status }) => (spec?.volumeName ? (status?.capacity?.['storage'] ?? '') : ''),
  },
  {
    name: 'Access Modes',
    description: 'Ways in which the volume can be mounted.',
    read: ({ spec, status }) => (spec?.volumeName ? accessModeLetters(status?.accessModes) : ''),
  },
  ageColumn,
];

export const persistentVolumeClaim: Kind<PersistentVolumeClaim> = defineKind<PersistentVolumeClaim>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  resource: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', description: 'A request for storage that pods can mount.' },
    claimFields,
  ),
  hasStatus: true,
  deleteAnswersObject: true,
  columns,
  example: {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    status: { phase: 'Pending' },
  },
  prepareForCreate: resetStatus,
  validateUpdate: validateClaimUpdate,
  prepareForExport: dropStatus,
});
