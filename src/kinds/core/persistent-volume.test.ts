import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, refusals } from '../testing/first-write.ts';
import { persistentVolume } from './persistent-volume.ts';

const good = { capacity: { storage: '1Ki' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };

test('a new volume is pending and is retained', () => {
  const volume = begun(persistentVolume, { spec: good, status: { phase: 'Bound', message: 'm' } });
  assert.deepEqual(volume.status, { phase: 'Pending' });
  assert.equal(volume.spec?.persistentVolumeReclaimPolicy, 'Retain');
});

const cases: [what: string, change: object, refused: string[]][] = [
  ['a good volume', {}, []],
  ['all access modes', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'] }, []],
  ['no access mode', { accessModes: [] }, ['spec.accessModes Required']],
  ['an unknown access mode', { accessModes: ['Own'] }, ['spec.accessModes NotSupported']],
  ['no capacity', { capacity: {} }, ['spec.capacity Required', 'spec.capacity NotSupported']],
  ['capacity other than storage', { capacity: { cpu: '1' } }, ['spec.capacity NotSupported']],
  ['more capacity than storage', { capacity: { storage: '1', cpu: '1' } }, ['spec.capacity NotSupported']],
  ['a negative capacity', { capacity: { storage: '-1' } }, ['spec.capacity[storage] Invalid']],
  ['no source', { hostPath: undefined }, ['spec Required']],
  ['a second source', { nfs: { server: 's', path: '/p' } }, ['spec.nfs Forbidden']],
  ['a source without its path', { hostPath: {} }, ['spec.hostPath.path Required']],
  ['two of the later sources', { flexVolume: { driver: 'd' }, azureFile: { secretName: 's', shareName: 't' } }, []],
  ['one of the later sources alone', { hostPath: undefined, flexVolume: { driver: 'd' } }, []],
  ['a later source that lacks something', { azureFile: { secretName: 's' } }, ['spec.azureFile.shareName Required']],
  ['recycling the root of a node', { hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' }, []],
];
for (const [what, change, refused] of cases) {
  test(`${what} is ${refused.length > 0 ? 'refused' : 'taken'}`, () => {
    assert.deepEqual(refusals(persistentVolume, { spec: { ...good, ...change } }), refused);
  });
}
