import { object, one, quantities, string, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { accessModeLetters, accessModesField, validateAccessModes } from './access-modes.ts';
import { validateExactlyOne } from './exactly-one.ts';
import { objectReference } from './object-reference.ts';
import { wholeUnits } from './resource-amounts.ts';
import {
  awsElasticBlockStoreVolumeSource,
  azureFileVolumeSource,
  cephfsVolumeSource,
  cinderVolumeSource,
  fcVolumeSource,
  flexVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  glusterfsVolumeSource,
  hostPathVolumeSource,
  iscsiVolumeSource,
  nfsVolumeSource,
  rbdVolumeSource,
} from './volume-sources.ts';

const persistentVolumeSpecFields = {
  capacity: quantities('How much the volume holds, under the name storage.'),
  gcePersistentDisk: one(gcePersistentDiskVolumeSource, 'A disk of Google Compute Engine.'),
  awsElasticBlockStore: one(awsElasticBlockStoreVolumeSource, 'A block store volume of Amazon Web Services.'),
  hostPath: one(hostPathVolumeSource, 'A directory of a node, for clusters of one node.'),
  glusterfs: one(glusterfsVolumeSource, 'A Gluster volume.'),
  nfs: one(nfsVolumeSource, 'A directory that an NFS server exports.'),
  rbd: one(rbdVolumeSource, 'A block device kept by Ceph.'),
  iscsi: one(iscsiVolumeSource, 'A disk reached by iSCSI.'),
  cinder: one(cinderVolumeSource, 'A volume of OpenStack Cinder.'),
  cephfs: one(cephfsVolumeSource, 'A directory of a Ceph file system.'),
  fc: one(fcVolumeSource, 'A disk reached by Fibre Channel.'),
  flocker: one(flockerVolumeSource, 'A data set that a Flocker agent attaches.'),
  flexVolume: one(flexVolumeSource, 'A volume that a driver program attaches.'),
  azureFile: one(azureFileVolumeSource, 'A file share of Azure.'),
  accessModes: accessModesField('Ways in which the volume can be mounted.'),
  claimRef: one(objectReference, 'The claim that the volume is bound to, or kept for.'),
  persistentVolumeReclaimPolicy: string('What happens when its claim is gone: Retain, Recycle or Delete.').defaultsTo(
    'Retain',
  ),
};
export interface PersistentVolumeSpec extends FieldsOf<typeof persistentVolumeSpecFields> {}
const persistentVolumeSpec: ObjectSchema<PersistentVolumeSpec> = object(
  'v1.PersistentVolumeSpec',
  'What a volume is and how it can be used.',
  persistentVolumeSpecFields,
  { validate: validateSpec },
);

/** In the order in which the reference looks: the first one counts, any further one is the mistake. */
const sources = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
] as const;
/** As in the reference, these may also stand beside another. */
const laterSources = ['flexVolume', 'azureFile'] as const;

function validateSpec(spec: PersistentVolumeSpec, path: Path, errors: FieldErrors): void {
  validateAccessModes(spec.accessModes, path.at('accessModes'), errors);
  validateCapacity(spec.capacity ?? {}, path.at('capacity'), errors);
  validateSource(spec, path, errors);
}

function validateSource(spec: PersistentVolumeSpec, path: Path, errors: FieldErrors): void {
  const isGiven = (name: keyof PersistentVolumeSpec): boolean => spec[name] !== undefined;
  if (sources.some(isGiven)) validateExactlyOne(spec, sources, path, errors);
  else if (!laterSources.some(isGiven)) validateExactlyOne(spec, [...sources, ...laterSources], path, errors);
}

function validateCapacity(capacity: Record<string, string>, path: Path, errors: FieldErrors): void {
  const names = Object.keys(capacity);
  if (names.length === 0) errors.required(path);
  if (names.length !== 1 || names[0] !== 'storage') errors.notSupported(path, capacity, ['storage']);
  for (const [name, amount] of Object.entries(capacity)) {
    if (wholeUnits(amount) < 0) errors.invalid(path.key(name), amount, 'must not be negative');
  }
}

const persistentVolumeStatusFields = {
  phase: string('Pending, Available, Bound, Released or Failed.').defaultsTo('Pending'),
  message: string('Why the volume is in this phase, for people.'),
  reason: string('Why the volume failed, in one word for machines.'),
};
export interface PersistentVolumeStatus extends FieldsOf<typeof persistentVolumeStatusFields> {}
const persistentVolumeStatus: ObjectSchema<PersistentVolumeStatus> = object(
  'v1.PersistentVolumeStatus',
  'Where a volume is in its life.',
  persistentVolumeStatusFields,
);

const persistentVolumeFields = {
  spec: one(persistentVolumeSpec, 'What the volume is.').defaultsTo({}),
  status: one(persistentVolumeStatus, 'Where the volume is in its life.').defaultsTo({}),
};
export interface PersistentVolume extends ApiObject, FieldsOf<typeof persistentVolumeFields> {}

function resetStatus(volume: PersistentVolume): void {
  volume.status = { phase: 'Pending' };
}

function dropStatus(volume: PersistentVolume): void {
  volume.status = {};
}

function claimOf({ spec }: PersistentVolume): string {
  const claim = spec?.claimRef;
  return claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '';
}

const columns: readonly Column<PersistentVolume>[] = [
  nameColumn,
  {
    name: 'Capacity',
    description: 'How much the volume holds.',
    read: ({ spec }) => spec?.capacity?.['storage'] ?? '',
  },
  {
    name: 'Access Modes',
    description: 'Ways in which it can be mounted.',
    read: ({ spec }) => accessModeLetters(spec?.accessModes),
  },
  {
    name: 'Reclaim Policy',
    description: 'What happens when its claim is gone.',
    read: ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
  },
  {
    name: 'Status',
    description: 'Where the volume is in its life.',
    read: ({ metadata, status }) => (metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? '')),
  },
  { name: 'Claim', description: 'The claim that it is bound to.', read: claimOf },
  { name: 'Reason', description: 'Why the volume failed.', read: ({ status }) => status?.reason ?? '' },
  ageColumn,
];

export const persistentVolume: Kind<PersistentVolume> = defineKind<PersistentVolume>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  resource: 'persistentvolumes',
  shortNames: ['pv'],
  namespaced: false,
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      description: 'A piece of storage of the cluster that claims are bound to.',
    },
    persistentVolumeFields,
  ),
  hasStatus: true,
  deleteAnswersObject: true,
  columns,
  example: {
    kind: 'PersistentVolume',
    apiVersion: 'v1',
    metadata: { name: 'disk-one' },
    spec: {
      capacity: { storage: '1Gi' },
      nfs: { server: 'files.example.com', path: '/exports/one' },
      accessModes: ['ReadWriteMany'],
      persistentVolumeReclaimPolicy: 'Retain',
    },
    status: { phase: 'Pending' },
  },
  prepareForCreate: resetStatus,
  prepareForExport: dropStatus,
});
