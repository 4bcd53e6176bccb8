import { boolean, integer, object, one, string, stringMap, strings, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import type { Format, ObjectSchema } from '../../schema/schema.ts';
import { localObjectReference } from './object-reference.ts';

const fsType = string('File system on the volume, such as ext4.');
const readOnly = boolean('Whether the volume can only be read.');
const partition = integer('Number of the partition; 0 for the whole device.', { min: 0, max: 255 });

const hostPathFields = {
  path: string('Path on the node.').mandatory(),
};
export interface HostPathVolumeSource extends FieldsOf<typeof hostPathFields> {}
export const hostPathVolumeSource: ObjectSchema<HostPathVolumeSource> = object(
  'v1.HostPathVolumeSource',
  'A file or directory of the node.',
  hostPathFields,
);

const gcePersistentDiskFields = {
  pdName: string('Name of the disk.').mandatory(),
  fsType,
  partition,
  readOnly,
};
export interface GCEPersistentDiskVolumeSource extends FieldsOf<typeof gcePersistentDiskFields> {}
export const gcePersistentDiskVolumeSource: ObjectSchema<GCEPersistentDiskVolumeSource> = object(
  'v1.GCEPersistentDiskVolumeSource',
  'A disk of Google Compute Engine.',
  gcePersistentDiskFields,
);

const awsElasticBlockStoreFields = {
  volumeID: string('Identity of the block store volume.').mandatory(),
  fsType,
  partition,
  readOnly,
};
export interface AWSElasticBlockStoreVolumeSource extends FieldsOf<typeof awsElasticBlockStoreFields> {}
export const awsElasticBlockStoreVolumeSource: ObjectSchema<AWSElasticBlockStoreVolumeSource> = object(
  'v1.AWSElasticBlockStoreVolumeSource',
  'A block store volume of Amazon Web Services.',
  awsElasticBlockStoreFields,
);

const nfsFields = {
  server: string('Host name or address of the server.').mandatory(),
  path: string('Absolute path that the server exports.').mandatory(),
  readOnly,
};
export interface NFSVolumeSource extends FieldsOf<typeof nfsFields> {}
export const nfsVolumeSource: ObjectSchema<NFSVolumeSource> = object(
  'v1.NFSVolumeSource',
  'A directory that an NFS server exports.',
  nfsFields,
  { validate: validateNfs },
);

function validateNfs(source: NFSVolumeSource, path: Path, errors: FieldErrors): void {
  const exported = source.path ?? '';
  if (!exported.startsWith('/')) errors.invalid(path.at('path'), exported, 'must be an absolute path');
}

const iscsiFields = {
  targetPortal: string('Address of the target, with its port unless that is 3260.').mandatory(),
  iqn: string('Qualified name of the target.').mandatory(),
  lun: integer('Number of the logical unit.', { min: 0, max: 255 }).mandatory().always(0),
  iscsiInterface: string('Name of the interface to go through.').defaultsTo('default'),
  fsType,
  readOnly,
};
export interface ISCSIVolumeSource extends FieldsOf<typeof iscsiFields> {}
export const iscsiVolumeSource: ObjectSchema<ISCSIVolumeSource> = object(
  'v1.ISCSIVolumeSource',
  'A disk reached by iSCSI.',
  iscsiFields,
);

const glusterfsFields = {
  endpoints: string('Name of the endpoints object that lists the servers.').mandatory(),
  path: string('Name of the Gluster volume.').mandatory(),
  readOnly,
};
export interface GlusterfsVolumeSource extends FieldsOf<typeof glusterfsFields> {}
export const glusterfsVolumeSource: ObjectSchema<GlusterfsVolumeSource> = object(
  'v1.GlusterfsVolumeSource',
  'A Gluster volume.',
  glusterfsFields,
);

const rbdFields = {
  monitors: strings('Addresses of the Ceph monitors.').mandatory(),
  image: string('Name of the image.').mandatory(),
  fsType,
  pool: string('Pool that holds the image.').mandatory().always(''),
  user: string('User to act as.').mandatory().always(''),
  keyring: string('Path of the key ring on the node.').mandatory().always(''),
  secretRef: one(localObjectReference, 'Secret with the key; goes before the key ring.'),
  readOnly,
};
export interface RBDVolumeSource extends FieldsOf<typeof rbdFields> {}
export const rbdVolumeSource: ObjectSchema<RBDVolumeSource> = object(
  'v1.RBDVolumeSource',
  'A block device kept by Ceph.',
  rbdFields,
);

const cinderFields = {
  volumeID: string('Identity of the volume.').mandatory(),
  fsType,
  readOnly,
};
export interface CinderVolumeSource extends FieldsOf<typeof cinderFields> {}
export const cinderVolumeSource: ObjectSchema<CinderVolumeSource> = object(
  'v1.CinderVolumeSource',
  'A volume of OpenStack Cinder.',
  cinderFields,
);

const cephfsFields = {
  monitors: strings('Addresses of the Ceph monitors.').mandatory(),
  path: string('Directory to mount; the root unless given.'),
  user: string('User to act as.'),
  secretFile: string('Path of the key ring on the node.'),
  secretRef: one(localObjectReference, 'Secret with the key; goes before the key ring.'),
  readOnly,
};
export interface CephFSVolumeSource extends FieldsOf<typeof cephfsFields> {}
export const cephfsVolumeSource: ObjectSchema<CephFSVolumeSource> = object(
  'v1.CephFSVolumeSource',
  'A directory of a Ceph file system.',
  cephfsFields,
);

const fcFields = {
  targetWWNs: strings('World wide names of the targets.').mandatory(),
  lun: integer('Number of the logical unit.', { min: 0, max: 255 }).mandatory().keepZero(),
  fsType,
  readOnly,
};
export interface FCVolumeSource extends FieldsOf<typeof fcFields> {}
export const fcVolumeSource: ObjectSchema<FCVolumeSource> = object(
  'v1.FCVolumeSource',
  'A disk reached by Fibre Channel.',
  fcFields,
);

const noSlash: Format = {
  name: 'no-slash',
  check: (value) => (value.includes('/') ? 'must not contain "/"' : undefined),
};

const flockerFields = {
  datasetName: string('Name of the data set; it has no slash.', noSlash).mandatory(),
};
export interface FlockerVolumeSource extends FieldsOf<typeof flockerFields> {}
export const flockerVolumeSource: ObjectSchema<FlockerVolumeSource> = object(
  'v1.FlockerVolumeSource',
  'A data set that a Flocker agent attaches.',
  flockerFields,
);

const flexVolumeFields = {
  driver: string('Name of the driver on the node.').mandatory(),
  fsType,
  secretRef: one(localObjectReference, 'Secret that is handed to the driver.'),
  readOnly,
  options: stringMap('Settings for the driver.'),
};
export interface FlexVolumeSource extends FieldsOf<typeof flexVolumeFields> {}
export const flexVolumeSource: ObjectSchema<FlexVolumeSource> = object(
  'v1.FlexVolumeSource',
  'A volume that a driver program on the node attaches.',
  flexVolumeFields,
);

const azureFileFields = {
  secretName: string('Secret with the name and key of the storage account.').mandatory(),
  shareName: string('Name of the share.').mandatory(),
  readOnly,
};
export interface AzureFileVolumeSource extends FieldsOf<typeof azureFileFields> {}
export const azureFileVolumeSource: ObjectSchema<AzureFileVolumeSource> = object(
  'v1.AzureFileVolumeSource',
  'A file share of Azure.',
  azureFileFields,
);
