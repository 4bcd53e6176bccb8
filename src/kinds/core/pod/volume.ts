import { object, one, string, type FieldsOf } from '../../../schema/builders.ts';
import type { FieldErrors } from '../../../schema/field-errors.ts';
import { dnsLabel } from '../../../schema/formats.ts';
import type { Path } from '../../../schema/path.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';
import { validateExactlyOne } from '../exactly-one.ts';
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
import {
  configMapVolumeSource,
  downwardAPIVolumeSource,
  emptyDirVolumeSource,
  gitRepoVolumeSource,
  persistentVolumeClaimVolumeSource,
  secretVolumeSource,
} from './pod-volume-sources.ts';

const volumeFields = {
  name: string('Name of the volume; mounts refer to it.', dnsLabel).mandatory(),
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
  { complete: completeVolume, validate: validateSource },
);

/** In the order in which the reference looks at them: of two, the one further down is called wrong. */
const sourceNames = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
] as const satisfies readonly (keyof Volume)[];

function hasSource(volume: Volume): boolean {
  return sourceNames.some((name) => volume[name] !== undefined);
}

function completeVolume(volume: Volume): void {
  if (!volume.azureFile && !hasSource(volume)) volume.emptyDir = {};
}

/** As in the reference, azureFile may also stand beside another source. */
function validateSource(volume: Volume, path: Path, errors: FieldErrors): void {
  if (!volume.azureFile || hasSource(volume)) validateExactlyOne(volume, sourceNames, path, errors);
}
