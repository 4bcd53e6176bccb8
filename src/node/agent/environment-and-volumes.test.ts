import assert from 'node:assert/strict';
import { mkdir, readFile, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { InProcessClient } from '../../client/in-process-client.ts';
import type { ObjectName } from '../../client/object-name.ts';
import { configMap as configMapKind } from '../../kinds/core/config-map.ts';
import { event as eventKind } from '../../kinds/core/event.ts';
import { persistentVolumeClaim as claimKind } from '../../kinds/core/persistent-volume-claim.ts';
import { persistentVolume as volumeKind } from '../../kinds/core/persistent-volume.ts';
import { pod as podKind } from '../../kinds/core/pod.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { RuntimeError } from '../runtime.ts';
import { openAgent, type AgentFixture } from '../testing/agent-fixture.ts';

let fixture: AgentFixture;
beforeEach(async () => {
  fixture = await openAgent();
});
afterEach(() => fixture.close());

async function createMap(data: Record<string, string>): Promise<void> {
  const metadata = { name: 'settings', namespace: 'one' };
  await fixture.client.create(configMapKind, { kind: 'ConfigMap', apiVersion: 'v1', metadata, data });
}

const settings = { namespace: 'one', name: 'settings' };

describe('a container that refers to what is not there', () => {
  const env = [{ name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } }];

  it('waits for it, and says for what', async () => {
    await fixture.createPod('web', {}, { env });
    const { state } = await fixture.containerOf('web');
    assert.equal(state?.waiting?.reason, 'CreateContainerConfigError');
    assert.match(state?.waiting?.message ?? '', /one\/settings/);
    await createMap({ other: 'x' });
    await fixture.pass(10);
    assert.match((await fixture.containerOf('web')).state?.waiting?.message ?? '', /"colour"/);
    await fixture.client.patch(configMapKind, settings, { merge: { data: { colour: 'blue' } } });
    await fixture.pass(10);
    assert.notEqual((await fixture.containerOf('web')).state?.running, undefined);
    assert.equal(fixture.machine.find('main').plan.environment['COLOUR'], 'blue');
  });

  it('does not hold back the others of its pod', async () => {
    const containers = [{ name: 'main', image: 'x', env }, { name: 'side', image: 'x' }]; // prettier-ignore
    await fixture.createPod('web', { containers });
    assert.notEqual((await fixture.containerOf('web', 'side')).state?.running, undefined);
    assert.equal((await fixture.getPod('web')).status.phase, 'Pending');
  });
});

describe('what a container is started with', () => {
  it('is expanded, resolved and mounted', async () => {
    await createMap({ colour: 'blue' });
    await fixture.createPod(
      'web',
      {
        volumes: [{ name: 'scratch', emptyDir: {} }, { name: 'config', configMap: { name: 'settings' } }], // prettier-ignore
        securityContext: { runAsUser: 1000, fsGroup: 7, supplementalGroups: [5] },
      },
      {
        command: ['serve', '$(WHERE)'],
        args: ['$(NOTHING)'],
        env: [{ name: 'WHERE', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
        volumeMounts: [
          { name: 'scratch', mountPath: '/scratch' },
          { name: 'config', mountPath: '/config', readOnly: true },
        ],
      },
    );
    const { plan } = fixture.machine.find('main');
    assert.deepEqual(plan.command, ['serve', '127.0.1.1']);
    assert.deepEqual(plan.args, ['$(NOTHING)']);
    assert.deepEqual([plan.user, plan.groups], [1000, [5, 7]]);
    const volumes = join(plan.place.directory, 'volumes');
    assert.deepEqual(plan.mounts, [
      { hostPath: join(volumes, 'scratch'), containerPath: '/scratch', readOnly: false },
      { hostPath: join(volumes, 'config'), containerPath: '/config', readOnly: true },
    ]);
    assert.equal(await readFile(join(volumes, 'config', 'colour'), 'utf8'), 'blue');
  });

  it('says whether it may be root: the container where it says so, and its pod otherwise', async () => {
    const securityContext = { runAsNonRoot: true };
    await fixture.createPod('web', { securityContext });
    assert.equal(fixture.machine.find('main').plan.mustNotBeRoot, true);
    await fixture.createPod('other', { securityContext }, { securityContext: { runAsNonRoot: false } });
    assert.equal(fixture.machine.find('main').plan.mustNotBeRoot, false);
  });

  it('waits with the reason of the runtime where that refuses it, and an event says so', async () => {
    fixture.machine.starts.set('main', () => {
      throw new RuntimeError('VerifyNonRootError', 'it would run as root');
    });
    await fixture.createPod('web', { securityContext: { runAsNonRoot: true } });
    const { waiting } = (await fixture.containerOf('web')).state!;
    assert.deepEqual(waiting, { reason: 'VerifyNonRootError', message: 'it would run as root' });
    assert.ok((await fixture.eventsOf('web')).includes('Warning Failed'));
  });

  it('includes warnings about what cannot be given', async () => {
    fixture.machine.warnings = ['memory limits are not enforced here'];
    await fixture.createPod('web');
    assert.ok((await fixture.eventsOf('web')).includes('Warning NotEnforced'));
  });
});

describe('the volumes of a pod', () => {
  it('keep it pending until they can be set up, and events say why', async () => {
    await fixture.createPod('web', { volumes: [{ name: 'config', configMap: { name: 'settings' } }] });
    const { status } = await fixture.getPod('web');
    assert.equal(status.phase, 'Pending');
    assert.deepEqual(status.containerStatuses?.[0]?.state, { waiting: { reason: 'ContainerCreating' } });
    const { items } = await fixture.client.list(eventKind, { namespace: 'one' });
    assert.equal(items[0]?.reason, 'FailedMount');
    assert.match(items[0]?.message ?? '', /"config".*settings/);
    await createMap({ a: 'b' });
    await fixture.pass(10);
    assert.equal((await fixture.getPod('web')).status.phase, 'Running');
  });

  it('that this node cannot mount are told by name', async () => {
    await fixture.createPod('web', { volumes: [{ name: 'far', nfs: { server: 's', path: '/p' } }] });
    const { items } = await fixture.client.list(eventKind, { namespace: 'one' });
    assert.match(items[0]?.message ?? '', /"far".*nfs/);
    await fixture.client.delete(podKind, { namespace: 'one', name: 'web' });
    await fixture.settle();
    assert.equal(await fixture.exists('web'), false);
  });

  it('show what changes while the pod runs, and go with it', async () => {
    await createMap({ colour: 'blue' });
    const items = [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }];
    await fixture.createPod('web', {
      volumes: [{ name: 'config', configMap: { name: 'settings' } }, { name: 'pod', downwardAPI: { items } }], // prettier-ignore
    });
    const { directory } = fixture.machine.find('main').plan.place;
    const read = (path: string): Promise<string> => readFile(join(directory, 'volumes', path), 'utf8');
    await fixture.client.patch(configMapKind, settings, { merge: { data: { colour: 'green' } } });
    const labels = { tier: 'front' };
    await fixture.client.patch(podKind, { namespace: 'one', name: 'web' }, { merge: { metadata: { labels } } });
    await fixture.settle();
    assert.equal(await read('config/colour'), 'green');
    assert.equal(await read('pod/labels'), 'tier="front"');
    await fixture.client.delete(podKind, { namespace: 'one', name: 'web' });
    await fixture.settle();
    await assert.rejects(stat(directory), { code: 'ENOENT' });
  });

  it('are tried again when what has changed could not be shown', async () => {
    await createMap({ colour: 'blue' });
    await fixture.createPod('web', { volumes: [{ name: 'config', configMap: { name: 'settings' } }] });
    const config = join(fixture.machine.find('main').plan.place.directory, 'volumes/config');
    const colour = (): Promise<string> => readFile(join(config, 'colour'), 'utf8');
    // Where the files of the next change go by way of a link.
    const inTheWay = join(config, '..data_new');
    await mkdir(inTheWay);
    await fixture.client.patch(configMapKind, settings, { merge: { data: { colour: 'green' } } });
    await fixture.pass(0.5);
    assert.equal(await colour(), 'blue');
    await rmdir(inTheWay);
    await fixture.pass(1);
    assert.equal(await colour(), 'green');
  });

  it('show what has changed while they were set up', async () => {
    await fixture.close();
    fixture = await openAgent(({ registry }) => ({ client: new ChangingClient({ registry, user: { name: 'tester', groups: [] } }) })); // prettier-ignore
    await createMap({ colour: 'blue' });
    await createClaim();
    await fixture.createPod('web', {
      volumes: [
        { name: 'config', configMap: { name: 'settings' } },
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      ],
    });
    const { directory } = fixture.machine.find('main').plan.place;
    assert.equal(await readFile(join(directory, 'volumes/config/colour'), 'utf8'), 'green');
  });
});

/** Lets the map change while a claim is read. */
class ChangingClient extends InProcessClient {
  override async get<T extends ApiObject>(kind: Kind<T>, name: ObjectName): Promise<T> {
    if (kind.resource === 'persistentvolumeclaims') {
      await this.patch(configMapKind, settings, { merge: { data: { colour: 'green' } } });
      // Time enough for those who follow the map to hear of it.
      for (let turns = 0; turns < 10; turns++) await turn();
    }
    return super.get(kind, name);
  }
}

/** A claim that is bound to a directory of the node. */
async function createClaim(): Promise<void> {
  const { client, directory } = fixture;
  const metadata = { name: 'data', namespace: 'one' };
  const accessModes = ['ReadWriteOnce'];
  await client.create(volumeKind, {
    kind: 'PersistentVolume',
    apiVersion: 'v1',
    metadata: { name: 'store' },
    spec: {
      accessModes,
      capacity: { storage: '1Gi' },
      hostPath: { path: join(directory, 'store') },
      claimRef: metadata,
    },
    status: {},
  });
  const claim = await client.create(claimKind, {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    metadata,
    spec: { accessModes, resources: { requests: { storage: '1Gi' } }, volumeName: 'store' },
    status: {},
  });
  await client.updateStatus(claimKind, { ...claim, status: { phase: 'Bound' } });
}
