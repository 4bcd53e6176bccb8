import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { deferred } from '../../base/deferred.ts';
import { openClient, type ClientFixture } from '../../client/testing/client-fixture.ts';
import { configMap, type ConfigMap } from '../../kinds/core/config-map.ts';
import { persistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts';
import { persistentVolume } from '../../kinds/core/persistent-volume.ts';
import type { Volume } from '../../kinds/core/pod/volume.ts';
import { secret } from '../../kinds/core/secret.ts';
import { FollowedObjects } from './followed-objects.ts';
import { isInMemory } from './memory-directory.ts';
import { PodVolumes } from './pod-volumes.ts';
import { VolumeError, type ReadyVolume, type VolumeOwner } from './volume.ts';

let fixture: ClientFixture;
let directory: string;
let objects: FollowedObjects;
let volumes: PodVolumes;
let changed = deferred<string>();

beforeEach(async () => {
  fixture = await openClient();
  directory = await mkdtemp(join(tmpdir(), 'wherry-volumes-'));
  objects = new FollowedObjects(fixture);
  changed = deferred<string>();
  volumes = new PodVolumes({ clock: fixture.clock, objects, onChange: (uid) => changed.resolve(uid) });
});
afterEach(async () => {
  volumes.close();
  assert.equal(objects.size, 0);
  objects.close();
  await fixture.close();
  await rm(directory, { recursive: true, force: true });
});

function ownerOf(sources: readonly Volume[], labels: Record<string, string> = {}): VolumeOwner {
  return {
    pod: {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'web', namespace: 'one', uid: 'u1', labels },
      spec: { containers: [], volumes: [...sources] },
      status: {},
    },
    directory: join(directory, 'volumes'),
    whereabouts: { podIP: '10.1.2.3', hostIP: '10.0.0.1' },
  };
}

async function setUp(source: Partial<Volume>): Promise<ReadyVolume> {
  const ready = await volumes.setUp(ownerOf([{ name: 'v', ...source }]));
  return ready.get('v')!;
}

const read = (volume: ReadyVolume, path: string): Promise<string> => readFile(join(volume.hostPath, path), 'utf8');

async function createMap(data: Record<string, string>): Promise<void> {
  const metadata = { name: 'settings', namespace: 'one' };
  await fixture.client.create(configMap, { kind: 'ConfigMap', apiVersion: 'v1', metadata, data });
}

/** The next thing that is told from now on. */
async function nextChange(act: () => Promise<unknown>): Promise<string> {
  await act();
  const uid = await changed.promise;
  changed = deferred<string>();
  return uid;
}

describe('volumes', () => {
  it('that begin empty keep what is put there until the pod goes', async () => {
    const volume = await setUp({ emptyDir: {} });
    assert.equal((await stat(volume.hostPath)).mode & 0o777, 0o777);
    await writeFile(join(volume.hostPath, 'a'), 'kept');
    assert.deepEqual(await setUp({ emptyDir: {} }), volume);
    assert.equal(await read(volume, 'a'), 'kept');
    await volumes.tearDown('u1', join(directory, 'volumes'));
    await assert.rejects(stat(volume.hostPath), { code: 'ENOENT' });
  });

  it('is in memory where that is asked for, and takes its memory along when it goes', async () => {
    const volume = await setUp({ emptyDir: { medium: 'Memory' } });
    assert.equal(volume.warning, undefined);
    assert.ok(await isInMemory(volume.hostPath));
    await writeFile(join(volume.hostPath, 'file'), 'kept');
    assert.deepEqual(await setUp({ emptyDir: { medium: 'Memory' } }), volume);
    assert.equal(await read(volume, 'file'), 'kept');
    const place = await realpath(volume.hostPath);
    await volumes.tearDown('u1', join(directory, 'volumes'));
    await assert.rejects(stat(place), { code: 'ENOENT' });
  });

  it('of the node are used as they are, made where they are missing, and stay', async () => {
    const path = join(directory, 'host');
    const { hostPath } = await setUp({ hostPath: { path } });
    assert.equal(hostPath, path);
    await writeFile(join(path, 'file'), 'x');
    assert.equal((await setUp({ hostPath: { path: join(path, 'file') } })).hostPath, join(path, 'file'));
    await volumes.tearDown('u1', join(directory, 'volumes'));
    await stat(join(path, 'file'));
    await assert.rejects(setUp({ hostPath: { path: 'relative' } }), /absolute/);
  });

  it('show config maps, whole or some keys of them', async () => {
    await createMap({ a: 'one', b: 'two' });
    const whole = await setUp({ configMap: { name: 'settings' } });
    assert.equal(await read(whole, 'a'), 'one');
    assert.equal(await read(whole, 'b'), 'two');
    const part = await setUp({ configMap: { name: 'settings', items: [{ key: 'b', path: 'in/b.txt' }] } });
    assert.equal(await read(part, 'in/b.txt'), 'two');
    await assert.rejects(read(part, 'a'), { code: 'ENOENT' });
    for (const key of ['c', 'constructor']) {
      const items = [{ key, path: 'c' }];
      await assert.rejects(setUp({ configMap: { name: 'settings', items } }), new RegExp(`no key "${key}"`));
    }
  });

  it('show secrets byte by byte', async () => {
    const bytes = Buffer.from([0, 255, 13, 10]);
    const metadata = { name: 'login', namespace: 'one' };
    const data = { key: bytes.toString('base64') };
    await fixture.client.create(secret, { kind: 'Secret', apiVersion: 'v1', metadata, data });
    const volume = await setUp({ secret: { secretName: 'login' } });
    assert.deepEqual(await readFile(join(volume.hostPath, 'key')), bytes);
  });

  it('follow the config maps that they show', async () => {
    await createMap({ a: 'one', b: 'x' });
    const owner = ownerOf([{ name: 'v', configMap: { name: 'settings' } }]);
    // The first sight of the object counts as a change.
    await nextChange(() => volumes.setUp(owner));
    const path = join(owner.directory, 'v');
    const name = { namespace: 'one', name: 'settings' };
    const update = (data: Record<string, string | null>): Promise<ConfigMap> =>
      fixture.client.patch(configMap, name, { merge: { data } });
    assert.equal(await nextChange(() => update({ a: 'two', b: null })), 'u1');
    await volumes.refresh(owner);
    assert.equal(await readFile(join(path, 'a'), 'utf8'), 'two');
    await assert.rejects(readFile(join(path, 'b')), { code: 'ENOENT' });
    await nextChange(() => fixture.client.delete(configMap, name));
    await assert.rejects(volumes.refresh(owner), VolumeError);
    assert.equal(await readFile(join(path, 'a'), 'utf8'), 'two', 'what is shown stays when the object goes');
    volumes.unfollow('u1');
  });

  it('show fields of the pod, as they are when looked at', async () => {
    const items = ['name', 'namespace', 'labels'].map((field) => ({ path: field, fieldRef: { fieldPath: `metadata.${field}` } })); // prettier-ignore
    const source = { name: 'v', downwardAPI: { items } };
    const ready = await volumes.setUp(ownerOf([source], { b: '2', a: '1' }));
    const volume = ready.get('v')!;
    assert.equal(await read(volume, 'name'), 'web');
    assert.equal(await read(volume, 'namespace'), 'one');
    assert.equal(await read(volume, 'labels'), 'a="1"\nb="2"');
    await volumes.refresh(ownerOf([source], { a: '3' }));
    assert.equal(await read(volume, 'labels'), 'a="3"');
  });

  it('lead through a claim to the directory of the node that it is bound to', async () => {
    const path = join(directory, 'store');
    const accessModes = ['ReadWriteOnce'];
    const use = (readOnly = false): Promise<ReadyVolume> =>
      setUp({ persistentVolumeClaim: { claimName: 'data', readOnly } });
    await assert.rejects(use(), /data/);
    const claim = await fixture.client.create(persistentVolumeClaim, {
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      metadata: { name: 'data', namespace: 'one' },
      spec: { accessModes, resources: { requests: { storage: '1Gi' } }, volumeName: 'pv' },
      status: {},
    });
    await assert.rejects(use(), /not bound/);
    await fixture.client.updateStatus(persistentVolumeClaim, { ...claim, status: { phase: 'Bound' } });
    const volume = await fixture.client.create(persistentVolume, {
      kind: 'PersistentVolume',
      apiVersion: 'v1',
      metadata: { name: 'pv' },
      spec: { accessModes, capacity: { storage: '1Gi' }, hostPath: { path } },
      status: {},
    });
    await assert.rejects(use(), /another claim/);
    const claimRef = { namespace: 'one', name: 'data' };
    await fixture.client.update(persistentVolume, { ...volume, spec: { ...volume.spec, claimRef } });
    assert.deepEqual(await use(), { hostPath: path, readOnly: false });
    assert.deepEqual(await use(true), { hostPath: path, readOnly: true });
  });

  it('copy git repositories, at the revision asked for', async () => {
    const origin = join(directory, 'origin.git');
    await mkdir(origin);
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'init.defaultBranch=main'];
    const git = (...args: string[]): string =>
      execFileSync('git', [...identity, ...args], { cwd: origin, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }); // prettier-ignore
    git('init', '--quiet');
    for (const text of ['first', 'second']) {
      await writeFile(join(origin, 'file'), text);
      git('add', 'file');
      git('commit', '--quiet', '-m', text);
    }
    const revision = git('rev-parse', 'HEAD~1').trim();
    const into = async (name: string, gitRepo: NonNullable<Volume['gitRepo']>): Promise<string> => {
      const ready = await volumes.setUp(ownerOf([{ name, gitRepo }]));
      return ready.get(name)!.hostPath;
    };
    const plain = await into('plain', { repository: origin });
    assert.equal(await readFile(join(plain, 'origin', 'file'), 'utf8'), 'second');
    const old = await into('old', { repository: origin, revision, directory: '.' });
    assert.equal(await readFile(join(old, 'file'), 'utf8'), 'first');
    await writeFile(join(old, 'file'), 'mine');
    assert.equal(await into('old', { repository: origin, revision, directory: '.' }), old);
    assert.equal(await readFile(join(old, 'file'), 'utf8'), 'mine', 'it is copied once');
    await assert.rejects(into('none', { repository: join(directory, 'nothing') }), /git clone failed/);
    await assert.rejects(into('bad', { repository: '--upload-pack=touch x' }), /cannot use/);
    await assert.rejects(into('bad', { repository: origin, revision: '--orphan' }), /cannot use/);
  });

  it('do not wait for a git server that says nothing when nobody wants them any more', async (t) => {
    const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ready = setUp({ gitRepo: { repository: `git://127.0.0.1:${port}/app` } });
    const givenUp = assert.rejects(ready, /git clone was given up/);
    const [socket] = (await once(server, 'connection')) as [Socket];
    t.after(() => {
      socket.destroy();
      server.close();
    });
    volumes.unfollow('u1');
    await givenUp;
  });

  it('of other sorts are refused with their name', async () => {
    const nfs = { server: 's', path: '/p' };
    await assert.rejects(setUp({ nfs }), (error) => {
      assert.ok(error instanceof VolumeError);
      assert.match(error.message, /"v".*nfs/);
      return true;
    });
  });

  it('of objects that are not there are refused with their name', async () => {
    await assert.rejects(setUp({ configMap: { name: 'settings' } }), /settings/);
    volumes.unfollow('u1');
    await assert.rejects(setUp({ secret: { secretName: 'login' } }), /login/);
  });
});
