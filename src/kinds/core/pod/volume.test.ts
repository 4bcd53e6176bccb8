import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../../schema/decode.ts';
import { validate } from '../../../schema/validate.ts';
import { volume } from './volume.ts';

/** `field reason` of everything that is wrong with a volume from this source. */
function wrong(source: object): string[] {
  const { value, mistakes } = decode(volume, { name: 'v', ...source });
  assert.deepEqual(mistakes, []);
  return validate(volume, value).list.map(({ field, reason }) => `${field} ${reason.replace('FieldValue', '')}`);
}

const cases: [name: string, source: object, ...causes: string[]][] = [
  ['no name', { name: '' }, 'name Required'],
  ['a name that is none', { name: 'V' }, 'name Invalid'],
  ['two sources', { emptyDir: {}, secret: { secretName: 's' } }, 'secret Forbidden'],
  ['a second source that is wrong in itself', { hostPath: {}, nfs: {} }, 'hostPath.path Required', 'nfs Forbidden'],
  ['hostPath without path', { hostPath: {} }, 'hostPath.path Required'],
  [
    'gcePersistentDisk',
    { gcePersistentDisk: { partition: 256 } },
    'gcePersistentDisk.pdName Required',
    'gcePersistentDisk.partition Invalid',
  ],
  [
    'awsElasticBlockStore',
    { awsElasticBlockStore: { partition: -1 } },
    'awsElasticBlockStore.volumeID Required',
    'awsElasticBlockStore.partition Invalid',
  ],
  ['gitRepo', { gitRepo: { directory: 'a/../b' } }, 'gitRepo.repository Required', 'gitRepo.directory Invalid'],
  ['gitRepo with an absolute path', { gitRepo: { repository: 'r', directory: '/a' } }, 'gitRepo.directory Invalid'],
  ['nfs with a relative path', { nfs: { path: 'p' } }, 'nfs.server Required', 'nfs.path Invalid'],
  ['iscsi', { iscsi: { lun: 256 } }, 'iscsi.targetPortal Required', 'iscsi.iqn Required', 'iscsi.lun Invalid'],
  ['glusterfs', { glusterfs: {} }, 'glusterfs.endpoints Required', 'glusterfs.path Required'],
  ['flocker with a slash', { flocker: { datasetName: 'a/b' } }, 'flocker.datasetName Invalid'],
  ['persistentVolumeClaim', { persistentVolumeClaim: {} }, 'persistentVolumeClaim.claimName Required'],
  ['rbd', { rbd: { monitors: [] } }, 'rbd.monitors Required', 'rbd.image Required'],
  ['cinder', { cinder: {} }, 'cinder.volumeID Required'],
  ['cephfs', { cephfs: {} }, 'cephfs.monitors Required'],
  ['fc', { fc: {} }, 'fc.targetWWNs Required', 'fc.lun Required'],
  ['fc with unit 0', { fc: { targetWWNs: ['w'], lun: 0 } }],
  ['flexVolume', { flexVolume: {} }, 'flexVolume.driver Required'],
  ['azureFile', { azureFile: {} }, 'azureFile.secretName Required', 'azureFile.shareName Required'],
  ['azureFile beside another', { azureFile: { secretName: 's', shareName: 't' }, emptyDir: {} }],
  ['configMap', { configMap: { items: [{}] } }, 'configMap.name Required'],
  ['configMap with files anywhere', { configMap: { name: 'c', items: [{ key: 'k', path: '../k' }, {}] } }],
  [
    'downwardAPI',
    { downwardAPI: { items: [{}] } },
    'downwardAPI.items[0].path Required',
    'downwardAPI.items[0].fieldRef.fieldPath Required',
  ],
  [
    'downwardAPI out of the volume',
    { downwardAPI: { items: [{ path: '../a', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    'downwardAPI.items[0].path Invalid',
  ],
  [
    'downwardAPI of another field',
    { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'status.podIP' } }] } },
    'downwardAPI.items[0].fieldRef.fieldPath NotSupported',
  ],
];

for (const [name, source, ...causes] of cases) {
  test(`${name}: ${causes.length === 0 ? 'is fine' : 'is refused'}`, () => assert.deepEqual(wrong(source), causes));
}

test('what the reference always writes is there, what it fills in too', () => {
  const read = (source: object) => decode(volume, { name: 'v', ...source }).value;
  const { iscsi } = read({ iscsi: { targetPortal: 'p', iqn: 'q' } });
  assert.deepEqual(iscsi, { targetPortal: 'p', iqn: 'q', lun: 0, iscsiInterface: 'default' });
  const { rbd } = read({ rbd: { monitors: ['m'], image: 'i' } });
  assert.deepEqual(rbd, { monitors: ['m'], image: 'i', pool: '', user: '', keyring: '' });
});
