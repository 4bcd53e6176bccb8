import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred, type Deferred } from '../base/deferred.ts';
import { SteppedClock } from '../base/stepped-clock.ts';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';

class Scene {
  readonly clock = new SteppedClock(0);
  readonly begun: string[] = [];
  /** Work on these keys ends when the test says so. */
  readonly held = new Map<string, Deferred<void>>();
  readonly queue: WorkQueue;

  constructor(options: Partial<WorkQueueOptions> = {}) {
    this.queue = new WorkQueue({
      clock: this.clock,
      work: async (key) => {
        this.begun.push(key);
        await this.held.get(key)?.promise;
      },
      ...options,
    });
  }

  hold(key: string): Deferred<void> {
    const held = deferred<void>();
    this.held.set(key, held);
    return held;
  }

  async begin(): Promise<void> {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
}

test('a key that is added several times is worked on once', async () => {
  const { queue, begun } = new Scene();
  for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
  assert.equal(queue.length, 2);
  await queue.idle();
  assert.deepEqual(begun, ['a', 'b']);
});

test('work never begins inside add', async () => {
  const { queue, begun } = new Scene();
  queue.add('a');
  assert.deepEqual(begun, []);
  await queue.idle();
  assert.deepEqual(begun, ['a']);
});

test('a key that is added while it is worked on is worked on once more afterwards, not at the same time', async () => {
  const scene = new Scene({ parallel: 4 });
  const held = scene.hold('a');
  scene.queue.add('a');
  await scene.begin();
  scene.queue.add('a');
  scene.queue.add('a');
  await scene.begin();
  assert.deepEqual(scene.begun, ['a']);
  scene.held.clear();
  held.resolve();
  await scene.queue.idle();
  assert.deepEqual(scene.begun, ['a', 'a']);
});

test('at most so many keys are worked on at the same time', async () => {
  const scene = new Scene({ parallel: 2 });
  const [a, b] = [scene.hold('a'), scene.hold('b')];
  for (const key of ['a', 'b', 'c', 'd']) scene.queue.add(key);
  await scene.begin();
  assert.deepEqual(scene.begun, ['a', 'b']);
  b.resolve();
  await scene.begin();
  assert.deepEqual(scene.begun.slice(0, 3), ['a', 'b', 'c']);
  a.resolve();
  await scene.queue.idle();
  assert.deepEqual(scene.begun, ['a', 'b', 'c', 'd']);
});

test('a delayed key comes when its time has come, and the shortest delay counts', async () => {
  const { queue, clock, begun } = new Scene();
  queue.addAfter('a', 1000);
  queue.addAfter('a', 200);
  queue.addAfter('a', 5000);
  clock.step(199);
  await queue.idle();
  assert.deepEqual(begun, []);
  clock.step(1);
  await queue.idle();
  assert.deepEqual(begun, ['a']);
  clock.step(10_000);
  await queue.idle();
  assert.deepEqual(begun, ['a']);
});

test('the shortest delay counts whatever the clock is set to', async () => {
  const { queue, clock, begun } = new Scene();
  queue.addAfter('a', 60_000);
  clock.setBy(3_600_000);
  queue.addAfter('a', 200);
  clock.step(200);
  await queue.idle();
  assert.deepEqual(begun, ['a']);
});

test('a key that fails waits twice as long each time, up to a bound, until it is forgotten', async () => {
  const { queue, clock, begun } = new Scene({ backoff: { firstMs: 10, longestMs: 50 } });
  async function waitOf(): Promise<number> {
    const [before, start] = [begun.length, clock.now()];
    queue.addRateLimited('a');
    while (begun.length === before) {
      clock.step(1);
      await queue.idle();
    }
    return clock.now() - start;
  }
  assert.deepEqual([await waitOf(), await waitOf(), await waitOf(), await waitOf()], [10, 20, 40, 50]);
  queue.forget('a');
  assert.equal(await waitOf(), 10);
});

test('many keys that fail at once come back at the overall rate', async () => {
  const { queue, clock, begun } = new Scene({
    parallel: 100,
    backoff: { firstMs: 1, longestMs: 1 },
    rate: { perSecond: 10, burst: 5 },
  });
  for (let i = 0; i < 25; i++) queue.addRateLimited(`k${i}`);
  clock.step(1);
  await queue.idle();
  assert.equal(begun.length, 5);
  clock.step(999);
  await queue.idle();
  assert.equal(begun.length, 15);
  clock.step(1000);
  await queue.idle();
  assert.equal(begun.length, 25);
});

test('a queue that is closed finishes what is under way and begins nothing more', async () => {
  const scene = new Scene();
  const held = scene.hold('a');
  for (const key of ['a', 'b']) scene.queue.add(key);
  scene.queue.addAfter('c', 10);
  await scene.begin();
  let isClosed = false;
  const closing = scene.queue.close().then(() => {
    isClosed = true;
  });
  scene.queue.add('a');
  scene.queue.add('d');
  scene.clock.step(100);
  await scene.begin();
  assert.equal(isClosed, false);
  held.resolve();
  await closing;
  assert.deepEqual(scene.begun, ['a']);
});
