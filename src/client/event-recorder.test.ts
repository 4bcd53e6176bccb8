import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { silentLogger } from '../base/logger.ts';
import { event, type Event } from '../kinds/core/event.ts';
import { pod, type Pod } from '../kinds/core/pod.ts';
import { forbidden, namespaceEnds, unreachable } from '../kinds/meta/api-error.ts';
import type { Writer } from './client.ts';
import { openEventRecorder, type OpenEventRecorder } from './open-event-recorder.ts';
import { openClient, type ClientFixture } from './testing/client-fixture.ts';

interface Scene extends ClientFixture {
  readonly recorder: OpenEventRecorder;
  readonly web: Pod;
  readonly events: () => Promise<Event[]>;
}

async function openScene(
  t: TestContext,
  wrap = (client: Pick<Writer, 'create' | 'patch'>): Pick<Writer, 'create' | 'patch'> => client,
): Promise<Scene> {
  const fixture = await openClient();
  const { client } = fixture;
  const { metadata, ...rest } = pod.example;
  const web = await client.create(pod, { ...rest, metadata: { ...metadata, namespace: 'one' } });
  const recorder = openEventRecorder({ ...fixture, client: wrap(client), source: { component: 'tester', host: 'h1' } });
  t.after(async () => {
    await recorder.close();
    await fixture.close();
  });
  return {
    ...fixture,
    recorder,
    web,
    async events() {
      await recorder.settled();
      return (await client.list(event, { namespace: 'one' })).items;
    },
  };
}

test('an event says what happened to which object, when, and who says so', async (t) => {
  const { recorder, web, events } = await openScene(t);
  recorder.record(web, 'Normal', 'Started', 'It runs.');
  const [only, ...more] = await events();
  assert.deepEqual(more, []);
  assert.match(only?.metadata.name ?? '', /^web\.[0-9a-f]+$/);
  const { kind, apiVersion } = web;
  const { namespace, name, uid, resourceVersion } = web.metadata;
  assert.deepEqual(only?.involvedObject, { kind, namespace, name, uid, apiVersion, resourceVersion });
  assert.deepEqual(only?.source, { component: 'tester', host: 'h1' });
  assert.deepEqual([only?.type, only?.reason, only?.message, only?.count], ['Normal', 'Started', 'It runs.', 1]);
  assert.deepEqual([only?.firstTimestamp, only?.lastTimestamp], ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z']);
});

test('an object with the longest name there can be has events, too', async (t) => {
  const { recorder, web, events } = await openScene(t);
  const name = `${'a'.repeat(235)}-${'b'.repeat(17)}`;
  recorder.record({ ...web, metadata: { ...web.metadata, name } }, 'Normal', 'Started', 'It runs.');
  const [only] = await events();
  assert.equal(only?.involvedObject.name, name);
  assert.match(only.metadata.name ?? '', /^a{235}\.[0-9a-f]+$/);
});

test('recorders that tell of the same object in the same moment lose no event', async (t) => {
  const { recorder, web, events, ...fixture } = await openScene(t);
  const other = openEventRecorder({ ...fixture, source: { component: 'other' } });
  for (const reason of ['First', 'Second', 'Third']) {
    recorder.record(web, 'Normal', reason, 'From one.');
    other.record(web, 'Normal', reason, 'From the other.');
  }
  await other.settled();
  const told = (await events()).map(({ reason, source }) => `${reason} ${source?.component}`);
  assert.deepEqual(told.toSorted(), [
    'First other',
    'First tester',
    'Second other',
    'Second tester',
    'Third other',
    'Third tester',
  ]);
  await other.close();
});

test('the same again raises the count and moves the last time', async (t) => {
  const { recorder, web, clock, events } = await openScene(t);
  for (let i = 0; i < 3; i++) {
    recorder.record(web, 'Warning', 'Failed', 'No luck.');
    await recorder.settled();
    clock.step(60_000);
  }
  recorder.record(web, 'Warning', 'Failed', 'Other luck.');
  const [first, other, ...more] = await events();
  assert.deepEqual(more, []);
  assert.deepEqual([first?.count, other?.count], [3, 1]);
  assert.deepEqual([first?.firstTimestamp, first?.lastTimestamp], ['2030-01-01T00:00:00Z', '2030-01-01T00:02:00Z']);
});

test('an event that has gone meanwhile is made anew', async (t) => {
  const { recorder, web, client, events } = await openScene(t);
  recorder.record(web, 'Normal', 'Started', 'It runs.');
  await recorder.settled();
  await client.deleteCollection(event, { namespace: 'one' });
  recorder.record(web, 'Normal', 'Started', 'It runs.');
  assert.deepEqual(
    (await events()).map(({ count }) => count),
    [1],
  );
});

test('many events that differ only in their message become one', async (t) => {
  const { recorder, web, events } = await openScene(t);
  for (let i = 0; i < 20; i++) recorder.record(web, 'Normal', 'Pulled', `Image ${i}.`);
  const all = await events();
  assert.equal(all.length, 10);
  assert.equal(all.find(({ count }) => count === 11)?.message?.endsWith('Image 19.'), true);
});

test('an object with too many events is silenced for a while, others are not', async (t) => {
  const { recorder, web, clock, events } = await openScene(t);
  const total = async (): Promise<number> => (await events()).reduce((sum, { count = 0 }) => sum + count, 0);
  for (let i = 0; i < 100; i++) recorder.record(web, 'Warning', 'Failed', 'No luck.');
  assert.equal(await total(), 25);
  recorder.record({ kind: 'Pod', namespace: 'one', name: 'other' }, 'Normal', 'Started', 'It runs.');
  assert.equal(await total(), 26);
  clock.step(300_000);
  for (let i = 0; i < 5; i++) recorder.record(web, 'Warning', 'Failed', 'No luck.');
  assert.equal(await total(), 27);
});

test('events of objects of the cluster are kept in the default namespace', async (t) => {
  const { recorder, client } = await openScene(t);
  recorder.record({ kind: 'Node', name: 'n1', uid: 'n1' }, 'Normal', 'Ready', 'It is there.');
  await recorder.settled();
  const { items } = await client.list(event, { namespace: 'default' });
  assert.deepEqual(
    items.map(({ reason }) => reason),
    ['Ready'],
  );
});

test('what passes is tried again, what is refused is given up, and the caller never hears of it', async (t) => {
  let failures = 2;
  const { recorder, web, clock, events } = await openScene(t, (client) => ({
    patch: (...request) => client.patch(...request),
    create(kind, object, options) {
      if ((object as unknown as Event).reason === 'Refused')
        return Promise.reject(forbidden({ resource: 'events' }, 'no'));
      return failures-- > 0 ? Promise.reject(unreachable('not now')) : client.create(kind, object, options);
    },
  }));
  recorder.record(web, 'Normal', 'Refused', 'Never.');
  recorder.record(web, 'Normal', 'Started', 'It runs.');
  while (recorder.isBusy) {
    await new Promise(setImmediate);
    clock.step(1000);
  }
  assert.deepEqual(
    (await events()).map(({ reason }) => reason),
    ['Started'],
  );
});

test('that an event of a namespace on its way out is not taken is nothing to warn of', async (t) => {
  const { clock } = await openScene(t);
  const warned: unknown[] = [];
  const refuse = ({ reason }: Event): Error =>
    reason === 'Killing' ? namespaceEnds({ resource: 'events' }, 'one') : forbidden({ resource: 'events' }, 'no');
  const recorder = openEventRecorder({
    client: {
      create: (_kind, object) => Promise.reject(refuse(object as unknown as Event)),
      patch: () => Promise.reject(unreachable('nobody asks')),
    },
    clock,
    logger: { ...silentLogger, warn: (_message, fields) => warned.push(fields?.['reason']) },
    source: { component: 'x' },
  });
  for (const reason of ['Killing', 'Started'])
    recorder.record({ kind: 'Pod', namespace: 'one', name: 'a' }, 'Normal', reason, '');
  await recorder.settled();
  await recorder.close();
  assert.deepEqual(warned, ['Started']);
});

test('a server that is slow to answer is told of several objects at once, of each in order', async (t) => {
  const answers: (() => void)[] = [];
  const { recorder, events } = await openScene(t, (client) => ({
    patch: (...request) => client.patch(...request),
    async create(kind, object, options) {
      await new Promise<void>((resolve) => answers.push(resolve));
      return client.create(kind, object, options);
    },
  }));
  for (const reason of ['Pulled', 'Started']) {
    for (const name of ['a', 'b', 'c']) recorder.record({ kind: 'Pod', namespace: 'one', name }, 'Normal', reason, '');
  }
  const rounds: number[] = [];
  while (recorder.isBusy) {
    rounds.push(answers.length);
    for (const answer of answers.splice(0)) answer();
    await new Promise(setImmediate);
  }
  assert.deepEqual(rounds, [3, 3]);
  const told = (await events()).map(({ involvedObject: { name }, reason }) => `${name} ${reason}`);
  assert.deepEqual(told.toSorted(), ['a Pulled', 'a Started', 'b Pulled', 'b Started', 'c Pulled', 'c Started']);
});

test('a recorder bounds what it keeps, and says how many events it dropped', async (t) => {
  const lines: unknown[] = [];
  const { client, clock } = await openScene(t);
  const warn = (message: string, fields?: Readonly<Record<string, unknown>>): void => {
    lines.push([message, fields?.['count']]);
  };
  const recorder = openEventRecorder({ client, clock, logger: { ...silentLogger, warn }, source: { component: 'x' } });
  for (let i = 0; i < 1010; i++) {
    recorder.record({ kind: 'Pod', namespace: 'one', name: `pod-${i}` }, 'Normal', 'Started', 'It runs.');
  }
  await recorder.settled();
  assert.equal((await client.list(event, { namespace: 'one' })).items.length, 1000);
  assert.deepEqual(lines, [
    ['events are dropped, because too many wait to be written', undefined],
    ['events were dropped', 10],
  ]);
  await recorder.close();
});

test('a closed recorder writes nothing more', async (t) => {
  const { recorder, web, events } = await openScene(t);
  await recorder.close();
  recorder.record(web, 'Normal', 'Started', 'It runs.');
  assert.deepEqual(await events(), []);
});

test('one recorder can report under several names, and keeps their events apart', async (t) => {
  const { recorder, web, events } = await openScene(t);
  recorder.record(web, 'Normal', 'Started', 'It runs.');
  recorder.as('helper').record(web, 'Normal', 'Started', 'It runs.');
  const told = (await events()).map(({ source, count }) => `${source?.component} ${source?.host} ${count}`);
  assert.deepEqual(told.toSorted(), ['helper h1 1', 'tester h1 1']);
});
