import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { endpoints } from '../kinds/core/endpoints.ts';
import { unreachable } from '../kinds/meta/api-error.ts';
import type { Client } from './client.ts';
import { runLeaderElection } from './leader-election.ts';
import { leaderAnnotation, parseLeaderRecord, type LeaderRecord } from './leader-record.ts';
import { openClient, type ClientFixture } from './testing/client-fixture.ts';

const lock = { namespace: 'default', name: 'controllers' };

class Candidate {
  isLeading = false;
  terms = 0;
  isCutOff = false;
  readonly #stopping = new AbortController();
  readonly done: Promise<void>;

  constructor(fixture: ClientFixture, identity: string) {
    this.done = runLeaderElection({
      ...fixture,
      client: this.#reach(fixture.client),
      lock,
      identity,
      signal: this.#stopping.signal,
      lead: async (signal) => {
        this.isLeading = true;
        this.terms++;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        this.isLeading = false;
      },
    });
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    return this.done;
  }

  /** The real client, unless the candidate is cut off from it. */
  #reach(client: Client): Pick<Client, 'get' | 'create' | 'update'> {
    const pass = <R>(call: () => Promise<R>): Promise<R> =>
      this.isCutOff ? Promise.reject(unreachable('cut off by the test')) : call();
    return {
      get: (...request) => pass(() => client.get(...request)),
      create: (...request) => pass(() => client.create(...request)),
      update: (...request) => pass(() => client.update(...request)),
    };
  }
}

interface Scene extends ClientFixture {
  readonly first: Candidate;
  readonly second: Candidate;
  readonly pass: (ms: number) => Promise<void>;
  readonly record: () => Promise<LeaderRecord | undefined>;
}

async function openScene(t: TestContext): Promise<Scene> {
  const fixture = await openClient();
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  };
  const first = new Candidate(fixture, 'first');
  await settle();
  const second = new Candidate(fixture, 'second');
  await settle();
  t.after(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await fixture.close();
  });
  return {
    ...fixture,
    first,
    second,
    async pass(ms) {
      for (let left = ms; left > 0; left -= 500) {
        fixture.clock.step(Math.min(left, 500));
        await settle();
        assert.ok(!(first.isLeading && second.isLeading), 'two lead at once');
      }
    },
    async record() {
      const { metadata } = await fixture.client.get(endpoints, lock);
      return parseLeaderRecord(metadata.annotations?.[leaderAnnotation]);
    },
  };
}

test('the first candidate leads for as long as it renews', async (t) => {
  const { first, second, pass, record } = await openScene(t);
  await pass(120_000);
  assert.deepEqual([first.isLeading, second.isLeading, first.terms], [true, false, 1]);
  assert.deepEqual(await record(), {
    holderIdentity: 'first',
    leaseDurationSeconds: 15,
    acquireTime: '2030-01-01T00:00:00Z',
    renewTime: '2030-01-01T00:02:00Z',
    leaderTransitions: 0,
  });
});

test('a leader that stops lets go, and the next one leads at its next attempt', async (t) => {
  const { first, second, pass, record } = await openScene(t);
  await first.stop();
  assert.equal((await record())?.holderIdentity, '');
  await pass(2000);
  assert.equal(second.isLeading, true);
  assert.equal((await record())?.leaderTransitions, 1);
});

test('a leader that is cut off stops before another one takes over', async (t) => {
  const { first, second, pass } = await openScene(t);
  await pass(4000);
  first.isCutOff = true;
  await pass(10_500);
  assert.deepEqual([first.isLeading, second.isLeading], [false, false]);
  await pass(9000);
  assert.deepEqual([first.isLeading, second.isLeading], [false, true]);
  first.isCutOff = false;
  await pass(30_000);
  assert.deepEqual([first.isLeading, second.isLeading], [false, true]);
});

test('a leader that finds another one in its place stops at its next renewal', async (t) => {
  const { first, pass, client } = await openScene(t);
  await pass(4000);
  const object = await client.get(endpoints, lock);
  const record = { ...parseLeaderRecord(object.metadata.annotations?.[leaderAnnotation]), holderIdentity: 'third' };
  const annotations = { [leaderAnnotation]: JSON.stringify(record) };
  await client.update(endpoints, { ...object, metadata: { ...object.metadata, annotations } });
  await pass(2000);
  assert.equal(first.isLeading, false);
});

test('a short outage costs nobody the lead', async (t) => {
  const { first, second, pass } = await openScene(t);
  first.isCutOff = true;
  await pass(7000);
  first.isCutOff = false;
  await pass(30_000);
  assert.deepEqual([first.isLeading, first.terms, second.isLeading], [true, 1, false]);
});

test('a clock that is set forward takes the lead from nobody', async (t) => {
  const { first, second, pass, clock } = await openScene(t);
  await pass(4000);
  clock.setBy(3_600_000);
  await pass(30_000);
  assert.deepEqual([first.isLeading, first.terms, second.isLeading], [true, 1, false]);
});

test('a clock that is set back leaves nobody the lead for longer', async (t) => {
  const { first, second, pass, clock } = await openScene(t);
  await pass(4000);
  first.isCutOff = true;
  clock.setBy(-3_600_000);
  await pass(10_500);
  assert.deepEqual([first.isLeading, second.isLeading], [false, false]);
  await pass(9000);
  assert.deepEqual([first.isLeading, second.isLeading], [false, true]);
});

test('an annotation that is no record is held by nobody', async (t) => {
  const fixture = await openClient();
  const metadata = { ...lock, annotations: { [leaderAnnotation]: '{"holder' } };
  await fixture.client.create(endpoints, { kind: 'Endpoints', apiVersion: 'v1', metadata, subsets: [] });
  const candidate = new Candidate(fixture, 'only');
  t.after(async () => {
    await candidate.stop();
    await fixture.close();
  });
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  assert.equal(candidate.isLeading, true);
});

test('work that ends by itself ends the candidacy and frees the lock', async () => {
  const fixture = await openClient();
  const options = { ...fixture, lock, identity: 'short', signal: new AbortController().signal };
  await runLeaderElection({ ...options, lead: () => Promise.resolve() });
  const { metadata } = await fixture.client.get(endpoints, lock);
  assert.equal(parseLeaderRecord(metadata.annotations?.[leaderAnnotation])?.holderIdentity, '');
  const failure = new Error('broken');
  await assert.rejects(runLeaderElection({ ...options, lead: () => Promise.reject(failure) }), failure);
  await fixture.close();
});

test('a candidacy that ends in the very moment in which the lock is had ends all the same', async () => {
  const fixture = await openClient();
  for (let turns = 0; turns < 40; turns++) {
    const stopping = new AbortController();
    const stopSoon = async <R>(call: Promise<R>): Promise<R> => {
      const result = await call;
      void (async () => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        stopping.abort();
      })();
      return result;
    };
    const client: Pick<Client, 'get' | 'create' | 'update'> = {
      get: (...request) => fixture.client.get(...request),
      create: (...request) => stopSoon(fixture.client.create(...request)),
      update: (...request) => stopSoon(fixture.client.update(...request)),
    };
    const lead = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
    const identity = `candidate ${turns}`;
    await runLeaderElection({ ...fixture, client, lock, identity, signal: stopping.signal, lead });
  }
  const { metadata } = await fixture.client.get(endpoints, lock);
  assert.equal(parseLeaderRecord(metadata.annotations?.[leaderAnnotation])?.holderIdentity, '');
  await fixture.close();
});

test('periods that cannot work are refused', async () => {
  const fixture = await openClient();
  const options = { ...fixture, lock, identity: 'x', signal: new AbortController().signal };
  const electing = runLeaderElection({ ...options, leaseMs: 1000, renewMs: 2000, lead: () => Promise.resolve() });
  await assert.rejects(electing, RangeError);
  await fixture.close();
});
