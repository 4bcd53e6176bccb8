import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { deferred } from '../../base/deferred.ts';
import type { Logger } from '../../base/logger.ts';
import { silentLogger } from '../../base/logger.ts';
import { SharedInformers } from '../../client/shared-informers.ts';
import { HttpClient } from '../../client/http-client.ts';
import { InProcessClient } from '../../client/in-process-client.ts';
import { openClient, type ClientFixture } from '../../client/testing/client-fixture.ts';
import { configMap, type ConfigMap } from '../../kinds/core/config-map.ts';
import type { Controller, RunningController } from './controller.ts';
import { changesMapped, changesOf, startingWith, type KeySource } from './key-source.ts';
import { runControllers, type ControllerRun } from './run-controllers.ts';

interface Scene extends ClientFixture {
  readonly reconciled: string[];
  readonly run: ControllerRun;
}

type Parts = Partial<Controller> & {
  readonly sources?: (context: Parameters<Controller['start']>[0]) => readonly KeySource[];
  readonly reconcile?: RunningController['reconcile'];
  readonly logger?: Logger;
};

/** One controller that notes what it is called with, on the real registry. */
async function openScene(
  t: TestContext,
  parts: Parts,
  prepare?: (fixture: ClientFixture) => Promise<void>,
): Promise<Scene> {
  const fixture = await openClient();
  await prepare?.(fixture);
  const reconciled: string[] = [];
  const controller: Controller = {
    name: 'noting',
    parallel: parts.parallel,
    start: (context) => ({
      sources: parts.sources?.(context) ?? [changesOf(context.informers.of(configMap))],
      async reconcile(key) {
        reconciled.push(key);
        return parts.reconcile?.(key);
      },
    }),
  };
  const run = runControllers([controller], { ...fixture, logger: parts.logger ?? silentLogger });
  t.after(async () => {
    await run.close();
    await fixture.close();
  });
  await run.settled();
  return { ...fixture, reconciled, run };
}

function settings(name: string): ConfigMap {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'one' } };
}

test('a controller looks at what was there, and again at whatever changes', async (t) => {
  const prepare = async ({ client }: ClientFixture): Promise<void> =>
    void (await client.create(configMap, settings('a')));
  const { client, reconciled, run } = await openScene(t, {}, prepare);
  assert.deepEqual(reconciled, ['one/a']);
  await client.create(configMap, settings('b'));
  await client.delete(configMap, { namespace: 'one', name: 'a' });
  await run.settled();
  assert.deepEqual(reconciled.slice(1).toSorted(), ['one/a', 'one/b']);
});

test('a change leads to what the object was about and to what it is about now', async (t) => {
  const { client, reconciled, run } = await openScene(t, {
    sources: ({ informers }) => [
      changesMapped(informers.of(configMap), ({ metadata }) => Object.values(metadata.labels ?? {})),
    ],
  });
  const created = await client.create(configMap, {
    ...settings('a'),
    metadata: { ...settings('a').metadata, labels: { about: 'x' } },
  });
  await run.settled();
  await client.update(configMap, { ...created, metadata: { ...created.metadata, labels: { about: 'y' } } });
  await run.settled();
  assert.deepEqual(reconciled, ['x', 'x', 'y']);
});

test('a controller that asks for it is called again after that time', async (t) => {
  const { reconciled, clock, run } = await openScene(t, {
    sources: () => [startingWith('all')],
    reconcile: () => Promise.resolve({ after: 5000 }),
  });
  assert.equal(reconciled.length, 1);
  for (let i = 0; i < 10; i++) {
    clock.step(1000);
    await run.settled();
  }
  assert.equal(reconciled.length, 3);
});

test('what fails is called again, later each time, and the failure is logged', async (t) => {
  const warnings: unknown[] = [];
  let failures = 3;
  const { reconciled, clock, run } = await openScene(t, {
    sources: () => [startingWith('it')],
    reconcile: () => (failures-- > 0 ? Promise.reject(new Error('broken')) : Promise.resolve()),
    logger: { ...silentLogger, warn: (_message, fields) => void warnings.push(fields?.key) },
  });
  for (let i = 0; i < 100; i++) {
    clock.step(1);
    await run.settled();
  }
  assert.equal(reconciled.length, 4);
  assert.deepEqual(warnings, ['it', 'it', 'it']);
});

test('a run that is closed waits for the work under way, and then nothing more happens', async () => {
  const fixture = await openClient();
  const [begun, held] = [deferred<void>(), deferred<void>()];
  const calls: string[] = [];
  const controller: Controller = {
    name: 'slow',
    start: ({ informers }) => ({
      sources: [changesOf(informers.of(configMap))],
      async reconcile(key) {
        calls.push(`reconcile ${key}`);
        begun.resolve();
        await held.promise;
        calls.push('done');
      },
      close: () => void calls.push('close'),
    }),
  };
  const stopping = new AbortController();
  const run = runControllers([controller], { ...fixture, signal: stopping.signal });
  await run.started;
  await fixture.client.create(configMap, settings('a'));
  await begun.promise;
  stopping.abort();
  await fixture.client.create(configMap, settings('b'));
  held.resolve();
  await run.close();
  assert.deepEqual(calls, ['reconcile one/a', 'done', 'close']);
  await fixture.close();
});

test('a run that is closed sends nothing more, and waits for no server that is silent', async (t) => {
  const server = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
  const asked = deferred<void>();
  await once(server, 'listening');
  const fixture = await openClient();
  const access = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const client = new HttpClient({ ...fixture, access });
  t.after(async () => {
    client.close();
    server.close();
    await fixture.close();
  });
  const failures: unknown[] = [];
  const note = (error: unknown): void => void failures.push(error);
  const controller: Controller = {
    name: 'writing',
    start: (context) => ({
      sources: [startingWith('one')],
      async reconcile() {
        const write = (): Promise<unknown> => context.client.create(configMap, settings('a'));
        await write().catch(note);
        await write().catch(note);
      },
    }),
  };
  let requests = 0;
  server.on('request', () => requests++);
  const run = runControllers([controller], { ...fixture, client });
  await asked.promise;
  await run.close();
  assert.deepEqual(failures.map(String), Array(2).fill('Error: the controllers are stopped'));
  assert.equal(requests, 1);
});

test('a run that is closed at once ends in order', async () => {
  const fixture = await openClient();
  const controller: Controller = {
    name: 'brief',
    start: ({ informers }) => ({ sources: [changesOf(informers.of(configMap))], reconcile: () => Promise.resolve() }),
  };
  const run = runControllers([controller], { ...fixture, signal: AbortSignal.abort() });
  await run.close();
  await assert.rejects(run.started);
  await fixture.close();
});

test('a run that is closed before the server answers tells whoever waits for it, and leaves shared copies open', async (t) => {
  const fixture = await openClient();
  const client = new InProcessClient({ registry: fixture.registry, user: { name: 'tester', groups: [] } });
  client.list = () => new Promise(() => {});
  const informers = new SharedInformers({ ...fixture, client });
  t.after(async () => {
    informers.close();
    await fixture.close();
  });
  const controller: Controller = {
    name: 'brief',
    start: (context) => ({
      sources: [changesOf(context.informers.of(configMap))],
      reconcile: () => Promise.resolve(),
    }),
  };
  const run = runControllers([controller], { ...fixture, client, informers });
  await run.close();
  await assert.rejects(run.started, /stopped/);
  const broken: Controller = {
    name: 'broken',
    start() {
      throw new Error('it cannot');
    },
  };
  assert.throws(() => runControllers([broken], { ...fixture, informers }), /it cannot/);
  assert.ok(informers.of(configMap));
});

test('a controller that cannot start is an error at once, and nothing stays open', async () => {
  const fixture = await openClient();
  const informers: SharedInformers[] = [];
  const looking: Controller = {
    name: 'looking',
    start(context) {
      informers.push(context.informers);
      return { sources: [changesOf(context.informers.of(configMap))], reconcile: () => Promise.resolve() };
    },
  };
  const broken: Controller = {
    name: 'broken',
    start() {
      throw new Error('it cannot');
    },
  };
  assert.throws(() => runControllers([looking, broken], fixture), /it cannot/);
  assert.throws(() => informers[0]?.of(configMap), /closed/);
  await fixture.close();
});
