import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { changeObject } from '../../client/change-object.ts';
import { nameOf } from '../../client/object-name.ts';
import { event } from '../../kinds/core/event.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { isActive } from '../../kinds/core/pod/pod-state.ts';
import { job, type Job, type JobSpec, type JobStatus } from '../../kinds/extensions/job.ts';
import { runControllers } from '../loop/run-controllers.ts';
import { openControllers, type ControllerFixture } from '../testing/controller-fixture.ts';
import { mortalClient } from '../testing/mortal-client.ts';
import { PodDriver } from '../testing/pod-driver.ts';
import { jobs } from './job.ts';

const work = { namespace: 'one', name: 'work' };

describe('a job', () => {
  let fixture: ControllerFixture;
  let driver: PodDriver;
  beforeEach(async () => {
    fixture = await openControllers([jobs]);
    driver = new PodDriver(fixture, 'one');
  });
  afterEach(() => fixture.close());

  function body(spec: Partial<JobSpec>): Job {
    const containers = [{ name: 'main', image: 'work:1' }];
    const template = { metadata: { labels: { app: 'work' } }, spec: { containers, restartPolicy: 'Never' as const } };
    return { kind: '', apiVersion: '', metadata: { ...work }, spec: { template, ...spec } };
  }

  async function create(spec: Partial<JobSpec> = {}): Promise<void> {
    await fixture.client.create(job, body(spec));
    await fixture.run.settled();
  }

  async function active(): Promise<Pod[]> {
    return (await driver.list()).filter(isActive);
  }

  /** Ends so many of the pods that run. */
  async function finish(phase: 'Succeeded' | 'Failed', count = 1): Promise<void> {
    for (const pod of (await active()).slice(0, count)) await driver.finish(pod, phase);
    await fixture.run.settled();
  }

  async function status(): Promise<JobStatus> {
    return (await fixture.client.get(job, work)).status ?? {};
  }

  async function counts(): Promise<number[]> {
    const { active = 0, succeeded = 0, failed = 0 } = await status();
    return [active, succeeded, failed];
  }

  async function ends(): Promise<string[]> {
    return ((await status()).conditions ?? []).map((each) => `${each.type} ${each.status} ${each.reason ?? ''}`.trim());
  }

  async function eventsOf(reason: string): Promise<number> {
    const { items } = await fixture.client.list(event, { namespace: 'one' });
    return items.filter((each) => each.reason === reason).length;
  }

  test('runs one pod unless told otherwise, and is complete when that succeeds', async () => {
    await create();
    assert.deepEqual(await counts(), [1, 0, 0]);
    assert.equal((await status()).startTime, '2030-01-01T00:00:00Z');
    fixture.clock.step(5000);
    await finish('Succeeded');
    assert.deepEqual(await counts(), [0, 1, 0]);
    assert.deepEqual(await ends(), ['Complete True']);
    assert.equal((await status()).completionTime, '2030-01-01T00:00:05Z');
  });

  test('runs as many at a time as it may until enough have succeeded', async () => {
    await create({ completions: 5, parallelism: 2 });
    for (let done = 1; done <= 5; done++) {
      assert.equal((await active()).length, Math.min(2, 6 - done));
      assert.deepEqual(await ends(), []);
      await finish('Succeeded');
    }
    assert.deepEqual(await counts(), [0, 5, 0]);
    assert.deepEqual(await ends(), ['Complete True']);
    assert.equal((await driver.list()).length, 5);
  });

  test('makes up for pods that fail, waiting longer from one failure to the next', async () => {
    await create();
    const waits: number[] = [];
    for (let failure = 0; failure < 4; failure++) {
      await finish('Failed');
      let seconds = 0;
      for (; (await active()).length === 0 && seconds < 1000; seconds++) await fixture.pass(1000);
      waits.push(seconds);
    }
    assert.deepEqual(waits, [10, 20, 40, 80]);
    await finish('Succeeded');
    assert.deepEqual(await counts(), [0, 1, 4]);
    assert.deepEqual(await ends(), ['Complete True']);
  });

  test('a success ends the waiting', async () => {
    await create({ completions: 3, parallelism: 2 });
    await finish('Failed');
    assert.equal((await active()).length, 1);
    fixture.clock.step(1000);
    await finish('Succeeded');
    assert.equal((await active()).length, 2);
  });

  /** The only pod that runs fails, and says when its container ended. */
  async function failAt(finishedAt: string): Promise<void> {
    const [pod] = await active();
    const state = { terminated: { exitCode: 1, finishedAt } };
    const containerStatuses = [{ name: 'main', image: 'work:1', imageID: '', ready: false, restartCount: 0, state }];
    const change = (known: Pod) => void (known.status = { phase: 'Failed', containerStatuses });
    await changeObject(fixture.client, { kind: podKind, name: nameOf(pod!), part: 'status', change });
  }

  test('waits no longer because the clock of a node is ahead', async () => {
    await create();
    await failAt('2030-01-01T12:00:00Z');
    await fixture.run.settled();
    await fixture.pass(9000);
    assert.equal((await active()).length, 0);
    await fixture.pass(1000);
    assert.equal((await active()).length, 1);
  });

  test('counts the waiting from when the containers ended', async () => {
    await create();
    await fixture.run.close();
    await failAt('2030-01-01T00:00:00Z');
    fixture.clock.step(9000);
    const later = runControllers([jobs], fixture);
    await later.settled();
    assert.equal((await active()).length, 0);
    fixture.clock.step(1000);
    await later.settled();
    assert.equal((await active()).length, 1);
    await later.close();
  });

  test('is ended by its deadline, with the pods that run', async () => {
    await create({ completions: 4, parallelism: 2, activeDeadlineSeconds: 60 });
    await finish('Succeeded');
    await fixture.pass(59_000);
    assert.deepEqual(await ends(), []);
    await fixture.pass(1000);
    assert.deepEqual(await ends(), ['Failed True DeadlineExceeded']);
    assert.deepEqual(await counts(), [0, 1, 2]);
    assert.equal((await active()).length, 0);
    assert.equal((await status()).completionTime, undefined);
    assert.equal(await eventsOf('DeadlineExceeded'), 1);
    await fixture.pass(600_000);
    assert.equal((await active()).length, 0);
  });

  test('a deadline that is over while nobody looks still counts from the start', async () => {
    await create({ activeDeadlineSeconds: 60 });
    await fixture.run.close();
    fixture.clock.step(3_600_000);
    const later = runControllers([jobs], fixture);
    await later.settled();
    assert.deepEqual(await ends(), ['Failed True DeadlineExceeded']);
    await later.close();
  });

  test('a queue of unknown length is done when one has succeeded and the others have ended', async () => {
    await create({ parallelism: 3 });
    assert.equal((await active()).length, 3);
    await finish('Failed');
    await fixture.pass(10_000);
    assert.equal((await active()).length, 3);
    await finish('Succeeded');
    assert.equal((await active()).length, 2);
    assert.deepEqual(await ends(), []);
    await finish('Failed');
    await fixture.pass(600_000);
    assert.equal((await active()).length, 1);
    await finish('Succeeded');
    assert.deepEqual(await ends(), ['Complete True']);
    assert.deepEqual(await counts(), [0, 2, 2]);
  });

  test('follows a changed parallelism up and down', async () => {
    await create({ completions: 10, parallelism: 2 });
    const scale = async (parallelism: number): Promise<void> => {
      await fixture.client.patch(job, work, { merge: { spec: { parallelism } } });
      await fixture.run.settled();
    };
    await scale(5);
    assert.equal((await active()).length, 5);
    await scale(1);
    assert.equal((await active()).length, 1);
    await scale(0);
    assert.equal((await active()).length, 0);
    assert.deepEqual(await ends(), []);
  });

  test('tells when more pods have succeeded than were to', async () => {
    await create({ completions: 2, parallelism: 2 });
    const { spec, metadata } = (await driver.list())[0]!;
    const { labels } = metadata;
    const stray = { ...podKind.example, metadata: { namespace: 'one', name: 'stray', labels }, spec };
    await fixture.run.close();
    const pods = [...(await driver.list()), await fixture.client.create(podKind, stray)];
    for (const pod of pods) await driver.finish(pod, 'Succeeded');
    const again = runControllers([jobs], fixture);
    await again.settled();
    await again.close();
    assert.deepEqual(await ends(), ['Complete True']);
    assert.equal(await eventsOf('TooManySucceededPods'), 1);
  });

  test('that needs no success is complete at once', async () => {
    await create({ completions: 0 });
    assert.deepEqual(await ends(), ['Complete True']);
    assert.equal((await driver.list()).length, 0);
  });

  test('replaces a pod that is taken away', async () => {
    await create();
    const [pod] = await active();
    await driver.ready(pod!);
    await fixture.client.delete(podKind, nameOf(pod!));
    await fixture.run.settled();
    assert.equal((await active()).length, 1);
    assert.deepEqual(await counts(), [1, 0, 0]);
  });

  test('leaves a container that is restarted in its pod alone', async () => {
    const containers = [{ name: 'main', image: 'work:1' }];
    const template = {
      metadata: { labels: { app: 'work' } },
      spec: { containers, restartPolicy: 'OnFailure' as const },
    };
    await create({ template });
    const [pod] = await active();
    await driver.unready(pod!);
    await fixture.pass(60_000);
    assert.deepEqual(
      (await driver.list()).map(({ metadata }) => metadata.uid),
      [pod!.metadata.uid],
    );
    assert.deepEqual(await counts(), [1, 0, 0]);
  });

  test('never runs more pods than it may, wherever its controller is killed', async () => {
    await fixture.run.close();
    await fixture.client.create(job, body({ completions: 12, parallelism: 4 }));
    for (let life = 1; (await ends()).length === 0; life++) {
      assert.ok(life < 100, 'the job does not end');
      const mortal = mortalClient(fixture.client, life % 6);
      const run = runControllers([jobs], { ...fixture, client: mortal.client });
      await Promise.race([run.settled(), mortal.killed]);
      const running = await active();
      assert.ok(running.length <= 4, `${running.length} pods`);
      if (running.length > 0) await driver.finish(running[0]!, 'Succeeded');
      await Promise.race([run.settled(), mortal.killed]);
      await run.close();
    }
    assert.deepEqual(await ends(), ['Complete True']);
    assert.deepEqual(await counts(), [0, 12, 0]);
    assert.equal((await driver.list()).length, 12);
  });
});
