import { boolean, list, object, one, string, type FieldsOf } from '../../../schema/builders.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';
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
} from '../volume-sources.ts';
import { objectFieldSelector } from './object-field-selector.ts';

const emptyDirFields = {
  medium: string('What the directory is kept on: empty for the disk of the node, or Memory.'),
};
export interface EmptyDirVolumeSource extends FieldsOf<typeof emptyDirFields> {}
export const emptyDirVolumeSource: ObjectSchema<EmptyDirVolumeSource> = object(
  'v1.EmptyDirVolumeSource',
  'A directory that begins empty and goes with its pod.',
  emptyDirFields,
);

const gitRepoFields = {
  repository: string('Address of the repository.').mandatory(),
  revision: string('Commit to check out.'),
  directory: string('Where in the volume the repository goes, as a relative path.'),
};
export interface GitRepoVolumeSource extends FieldsOf<typeof gitRepoFields> {}
export const gitRepoVolumeSource: ObjectSchema<GitRepoVolumeSource> = object(
  'v1.GitRepoVolumeSource',
  'A copy of a Git repository, taken when the pod starts.',
  gitRepoFields,
);

const secretFields = {
  secretName: string('Name of the secret.').mandatory(),
};
export interface SecretVolumeSource extends FieldsOf<typeof secretFields> {}
export const secretVolumeSource: ObjectSchema<SecretVolumeSource> = object(
  'v1.SecretVolumeSource',
  'The values of a secret as files.',
  secretFields,
);

const persistentVolumeClaimFields = {
  claimName: string('Name of the claim in the namespace of the pod.').mandatory(),
  readOnly: boolean('Whether the volume can only be read.'),
};
export interface PersistentVolumeClaimVolumeSource extends FieldsOf<typeof persistentVolumeClaimFields> {}
export const persistentVolumeClaimVolumeSource: ObjectSchema<PersistentVolumeClaimVolumeSource> = object(
  'v1.PersistentVolumeClaimVolumeSource',
  'The volume that a claim is bound to.',
  persistentVolumeClaimFields,
);

const downwardAPIFileFields = {
  path: string('Name of the file, as a relative path.').mandatory(),
  fieldRef: one(objectFieldSelector, 'The field of the pod that the file holds.')
    .mandatory()
    .defaultsTo({ fieldPath: '' }),
};
export interface DownwardAPIVolumeFile extends FieldsOf<typeof downwardAPIFileFields> {}
export const downwardAPIVolumeFile: ObjectSchema<DownwardAPIVolumeFile> = object(
  'v1.DownwardAPIVolumeFile',
  'A file that holds a field of the pod.',
  downwardAPIFileFields,
);

const downwardAPIFields = {
  items: list(downwardAPIVolumeFile, 'The files.'),
};
export interface DownwardAPIVolumeSource extends FieldsOf<typeof downwardAPIFields> {}
export const downwardAPIVolumeSource: ObjectSchema<DownwardAPIVolumeSource> = object(
  'v1.DownwardAPIVolumeSource',
  'Fields of the pod as files.',
  downwardAPIFields,
);

const keyToPathFields = {
  key: string('Key of the value.').mandatory().always(''),
  path: string('Name of the file, as a relative path.').mandatory().always(''),
};
export interface KeyToPath extends FieldsOf<typeof keyToPathFields> {}
export const keyToPath: ObjectSchema<KeyToPath> = object(
  'v1.KeyToPath',
  'A key, and the file that its value goes to.',
  keyToPathFields,
);

const configMapFields = {
  name: string('Name of the config map.').mandatory(),
  items: list(keyToPath, 'Which keys become files; all of them unless given.'),
};
export interface ConfigMapVolumeSource extends FieldsOf<typeof configMapFields> {}
export const configMapVolumeSource: ObjectSchema<ConfigMapVolumeSource> = object(
  'v1.ConfigMapVolumeSource',
  'The values of a config map as files.',
  configMapFields,
);

const volumeFields = {
  name: string('Name of the volume; mounts refer to it.').mandatory(),
  hostPath: one(hostPathVolumeSource, 'A file or directory of the node.'),
  emptyDir: one(emptyDirVolumeSource, 'A directory that begins empty; what a volume is unless it says otherwise.'),
  gcePersistentDisk: one(gcePersistentDiskVolumeSource, 'A disk of Google Compute Engine.'),
  awsElasticBlockStore: one(awsElasticBlockStoreVolumeSource, 'A block store volume of Amazon Web Services.'),
  gitRepo: one(gitRepoVolumeSource, 'A copy of a Git repository.'),
  secret: one(secretVolumeSource, 'The values of a secret as files.'),
  nfs: one(nfsVolumeSource, 'A directory that an NFS server exports.'),
  iscsi: one(iscsiVolumeSource, 'A disk reached by iSCSI.'),
  glusterfs: one(glusterfsVolumeSource, 'A Gluster volume.'),
  persistentVolumeClaim: one(persistentVolumeClaimVolumeSource, 'The volume that a claim is bound to.'),
  rbd: one(rbdVolumeSource, 'A block device kept by Ceph.'),
  flexVolume: one(flexVolumeSource, 'A volume that a driver program on the node attaches.'),
  cinder: one(cinderVolumeSource, 'A volume of OpenStack Cinder.'),
  cephfs: one(cephfsVolumeSource, 'A directory of a Ceph file system.'),
  flocker: one(flockerVolumeSource, 'A data set that a Flocker agent attaches.'),
  downwardAPI: one(downwardAPIVolumeSource, 'Fields of the pod as files.'),
  fc: one(fcVolumeSource, 'A disk reached by Fibre Channel.'),
  azureFile: one(azureFileVolumeSource, 'A file share of Azure.'),
  configMap: one(configMapVolumeSource, 'The values of a config map as files.'),
};
export interface Volume extends FieldsOf<typeof volumeFields> {}
export const volume: ObjectSchema<Volume> = object(
  'v1.Volume',
  'Storage that containers of a pod mount.',
  volumeFields,
);
