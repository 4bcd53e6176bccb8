import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { deferred } from '../base/deferred.ts';
import { configMap, type ConfigMap } from '../kinds/core/config-map.ts';
import { expired, unreachable, type ApiError } from '../kinds/meta/api-error.ts';
import type { Watcher, WatchListener } from './client.ts';
import type { Informer } from './informer.ts';
import { openInformer } from './open-informer.ts';
import { SharedInformers } from './shared-informers.ts';
import { openClient, type ClientFixture } from './testing/client-fixture.ts';
import { InformerRecord } from './testing/informer-record.ts';

interface Scene extends ClientFixture {
  readonly put: (name: string, data?: Record<string, string>) => Promise<ConfigMap>;
  readonly remove: (name: string) => Promise<void>;
}

async function openScene(t: TestContext): Promise<Scene> {
  const fixture = await openClient();
  t.after(() => fixture.close());
  const { client } = fixture;
  return {
    ...fixture,
    put: (name, data) =>
      client.create(configMap, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'one' }, data }),
    remove: (name) => client.delete(configMap, { namespace: 'one', name }),
  };
}

/** A way to the real client that a test can disturb: watches are cut, and lists refused, on demand. */
class Line {
  readonly client: Watcher;
  lists = 0;
  readonly watchedFrom: string[] = [];
  refuseLists: ApiError | undefined;
  /** Where requests go from now on. */
  real: Watcher;
  #listener: WatchListener<never> | undefined;
  #close = (): void => {};
  #opened = deferred<void>();

  constructor(real: Watcher) {
    this.real = real;
    this.client = {
      get: (kind, name) => this.real.get(kind, name),
      list: (kind, options) => {
        this.lists++;
        return this.refuseLists ? Promise.reject(this.refuseLists) : this.real.list(kind, options);
      },
      watch: async (kind, options, listener) => {
        this.watchedFrom.push(options.resourceVersion);
        const handle = await this.real.watch(kind, options, listener);
        this.#listener = listener;
        this.#close = () => handle.close();
        this.#opened.resolve();
        return handle;
      },
    };
  }

  /** Resolves when the next watch is open. */
  async opened(): Promise<void> {
    await this.#opened.promise;
    this.#opened = deferred<void>();
  }

  cut(error?: ApiError): void {
    this.#close();
    this.#listener?.onEnd(error);
  }
}

function inform(t: TestContext, scene: Scene, client: Watcher): [Informer<ConfigMap>, InformerRecord] {
  const informer = openInformer({ ...scene, client, kind: configMap });
  t.after(() => informer.close());
  const record = new InformerRecord();
  informer.on(record);
  return [informer, record];
}

test('an informer knows what was there and hears of every change once', async (t) => {
  const scene = await openScene(t);
  await scene.put('a');
  const [informer, record] = inform(t, scene, scene.client);
  await informer.synced;
  await record.reached(1);
  const b = await scene.put('b');
  await record.reached(2);
  await scene.client.update(configMap, { ...b, data: { turn: '2' } });
  await scene.remove('a');
  await record.reached(4);
  assert.deepEqual(record.told, ['added a', 'added b', 'updated b', 'deleted a']);
  assert.equal(informer.get('one/a'), undefined);
  assert.deepEqual(informer.get('one/b')?.data, { turn: '2' });
  assert.equal(informer.list('one').length, 1);
  assert.equal(informer.list('default').length, 0);
});

test('a handler that comes later is told of what is there', async (t) => {
  const scene = await openScene(t);
  await scene.put('a');
  const [informer] = inform(t, scene, scene.client);
  await informer.synced;
  const late = new InformerRecord();
  const leave = informer.on(late);
  assert.deepEqual(late.told, ['added a']);
  leave();
  await scene.put('b');
  assert.deepEqual(late.told, ['added a']);
});

test('a handler that throws does not keep others from hearing', async (t) => {
  const scene = await openScene(t);
  const informer = openInformer({ ...scene, kind: configMap });
  t.after(() => informer.close());
  informer.on({
    added() {
      throw new Error('broken');
    },
  });
  const record = new InformerRecord();
  informer.on(record);
  await informer.synced;
  await scene.put('a');
  await record.reached(1);
  assert.deepEqual(record.told, ['added a']);
});

test('what an informer holds cannot be changed by accident', async (t) => {
  const scene = await openScene(t);
  const [informer, record] = inform(t, scene, scene.client);
  await informer.synced;
  await scene.put('a', { colour: 'blue' });
  await record.reached(1);
  assert.throws(() => {
    informer.get('one/a')!.data!.colour = 'red';
  }, TypeError);
});

test('a watch that ends is taken up again where it stopped, without a list', async (t) => {
  const scene = await openScene(t);
  const line = new Line(scene.client);
  const [informer, record] = inform(t, scene, line.client);
  await informer.synced;
  await line.opened();
  const a = await scene.put('a');
  line.cut();
  await scene.put('b');
  await line.opened();
  await record.reached(2);
  assert.deepEqual(record.told, ['added a', 'added b']);
  assert.equal(line.lists, 1);
  assert.equal(line.watchedFrom[1], a.metadata.resourceVersion);
});

test('a watch that ends at once again and again is taken up ever later', async (t) => {
  const scene = await openScene(t);
  const line = new Line(scene.client);
  const [informer] = inform(t, scene, line.client);
  await informer.synced;
  const waits: number[] = [];
  for (let i = 0; i < 4; i++) {
    await line.opened();
    const opened = line.watchedFrom.length;
    line.cut(unreachable('cut by the test'));
    const endedAt = scene.clock.now();
    while (line.watchedFrom.length === opened) {
      await new Promise(setImmediate);
      scene.clock.step(10);
    }
    waits.push(scene.clock.now() - endedAt);
  }
  assert.ok(waits[3]! > waits[0]! * 3, waits.join(' '));
});

test('when the server has forgotten too much, everything is listed and compared', async (t) => {
  const scene = await openScene(t);
  const line = new Line(scene.client);
  for (const name of ['same', 'gone', 'replaced', 'changed']) await scene.put(name);
  const [informer, record] = inform(t, scene, line.client);
  await informer.synced;
  await line.opened();
  await scene.put('steady');
  await record.reached(5);
  record.told.length = 0;
  line.refuseLists = unreachable('not now');
  line.cut(expired('too old'));
  await scene.remove('gone');
  await scene.remove('replaced');
  await scene.put('replaced');
  await scene.put('new');
  await scene.client.patch(configMap, { namespace: 'one', name: 'changed' }, { merge: { data: { turn: '2' } } });
  line.refuseLists = undefined;
  while (record.told.length < 5) {
    await new Promise(setImmediate);
    scene.clock.step(50);
  }
  assert.deepEqual(record.told.toSorted(), [
    'added new',
    'added replaced',
    'deleted gone',
    'deleted replaced',
    'updated changed',
  ]);
  assert.ok(record.told.indexOf('deleted replaced') < record.told.indexOf('added replaced'));
});

test('a server that lost its storage is read anew, objects with the same name and revision included', async (t) => {
  const [scene, emptied] = [await openScene(t), await openScene(t)];
  const line = new Line(scene.client);
  const { metadata: first } = await scene.put('a');
  for (const name of ['b', 'c']) await scene.put(name);
  const [informer, record] = inform(t, scene, line.client);
  await informer.synced;
  await line.opened();
  // Its ids go on from others than those of the first.
  emptied.ids.uid();
  const other = await emptied.put('a');
  line.real = emptied.client;
  line.cut(unreachable('the server is started again'));
  while (record.told.length < 7) {
    await new Promise(setImmediate);
    scene.clock.step(50);
  }
  await line.opened();
  await emptied.put('d');
  assert.equal(other.metadata.resourceVersion, first.resourceVersion);
  assert.notEqual(other.metadata.uid, first.uid);
  assert.deepEqual(
    informer.list().map(({ metadata }) => metadata.name),
    ['a', 'd'],
  );
  assert.equal(informer.get('one/a')?.metadata.uid, other.metadata.uid);
});

test('history that the storage has dropped leads to a list, and nothing is lost', async (t) => {
  const scene = await openScene(t);
  const line = new Line(scene.client);
  const [informer, record] = inform(t, scene, line.client);
  await informer.synced;
  await line.opened();
  await scene.put('a');
  line.cut();
  await scene.put('b');
  await scene.remove('a');
  await scene.storage.compact(await scene.storage.revision());
  while (record.told.length < 3) {
    await new Promise(setImmediate);
    scene.clock.step(50);
  }
  assert.deepEqual(record.told.toSorted(), ['added a', 'added b', 'deleted a']);
});

test('a server that is away at the start is asked until it is there', async (t) => {
  const scene = await openScene(t);
  await scene.put('a');
  const line = new Line(scene.client);
  line.refuseLists = unreachable('not yet');
  const [informer] = inform(t, scene, line.client);
  while (line.lists < 3) {
    await new Promise(setImmediate);
    scene.clock.step(50);
  }
  assert.equal(informer.isSynced, false);
  line.refuseLists = undefined;
  scene.clock.step(60_000);
  await informer.synced;
  assert.equal(informer.list().length, 1);
});

test('an informer that is closed before it is complete says so', async (t) => {
  const scene = await openScene(t);
  const informer = openInformer({ ...scene, kind: configMap });
  informer.close();
  await assert.rejects(informer.synced, /closed/);
});

test('indexes follow every change and are shared', async (t) => {
  const scene = await openScene(t);
  await scene.put('a', { colour: 'blue' });
  const [informer] = inform(t, scene, scene.client);
  const colours = ({ data = {} }: ConfigMap): string[] => Object.values(data);
  const byColour = informer.index(colours);
  await informer.synced;
  assert.equal(informer.index(colours), byColour);
  await scene.put('b', { colour: 'blue', trim: 'red' });
  const names = (colour: string): unknown[] => byColour.get(colour).map(({ metadata }) => metadata.name);
  assert.deepEqual([names('blue'), names('red')], [['a', 'b'], ['b']]);
  await scene.client.patch(
    configMap,
    { namespace: 'one', name: 'b' },
    { merge: { data: { colour: 'red', trim: null } } },
  );
  assert.deepEqual([names('blue'), names('red')], [['a'], ['b']]);
  await scene.remove('b');
  assert.deepEqual(names('red'), []);
});

test('several users of one kind share one watch, those of a selection another', async (t) => {
  const scene = await openScene(t);
  const line = new Line(scene.client);
  const informers = new SharedInformers({ ...scene, client: line.client });
  t.after(() => informers.close());
  assert.equal(informers.of(configMap), informers.of(configMap));
  const selected = informers.of(configMap, { labels: 'app=web' });
  assert.equal(selected, informers.of(configMap, { labels: { matchLabels: { app: 'web' } } }));
  assert.notEqual(selected, informers.of(configMap));
  await informers.synced();
  assert.equal(line.lists, 2);
});
