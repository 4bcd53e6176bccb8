import assert from 'node:assert/strict';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { connectionTo, openAgent, type AgentFixture } from '../testing/agent-fixture.ts';
import { getFromNode, openFromNode, type NodeAnswer, type NodeConnection } from '../testing/node-connection.ts';
import { until } from '../testing/until.ts';

let fixture: AgentFixture;
let connection: NodeConnection;
beforeEach(async () => {
  fixture = await openAgent();
  connection = connectionTo(fixture);
});
afterEach(() => fixture.close());

const get = (path: string, method?: string): Promise<NodeAnswer> => getFromNode(connection, path, method);

describe('the log of a container', () => {
  const path = '/containerLogs/one/web/main';

  it('is sent with all options', async () => {
    await fixture.createPod('web');
    const begun = fixture.clock.now();
    for (const text of ['one', 'two', 'three']) {
      fixture.machine.find('main').print(text);
      await fixture.pass(10);
    }
    const time = (seconds: number): string => new Date(begun + seconds * 1000).toISOString();
    const read = async (query: string): Promise<string> => (await get(`${path}?${query}`)).body;
    assert.equal(await read(''), 'one\ntwo\nthree\n');
    assert.equal(await read('tailLines=1'), 'three\n');
    assert.equal(await read('tailLines=0'), '');
    assert.equal(await read('limitBytes=5'), 'one\nt');
    assert.equal(await read('sinceSeconds=20'), 'two\nthree\n');
    assert.equal(await read(`sinceTime=${time(15)}`), 'three\n');
    assert.equal(await read('timestamps=true&tailLines=1'), `${time(20)} three\n`);
  });

  it('is refused when the options make no sense', async () => {
    await fixture.createPod('web');
    for (const query of [
      'tailLines=-1',
      'limitBytes=0',
      'sinceSeconds=x',
      'sinceTime=x',
      'sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z',
    ]) {
      assert.equal((await get(`${path}?${query}`)).status, 400, query);
    }
    assert.equal((await get('/containerLogs/one/web/other')).status, 400);
    assert.match((await get(`${path}?previous=true`)).body, /no previous run/);
  });

  it('is followed until the container ends', async () => {
    await fixture.createPod('web', { restartPolicy: 'Never' });
    fixture.machine.find('main').print('before');
    const answer = await openFromNode(connection, `${path}?follow=true`);
    const text = textOf(answer);
    fixture.machine.find('main').print('after');
    fixture.machine.find('main').end(0);
    assert.equal(await text, 'before\nafter\n');
  });

  it('is not read any more when the client leaves', async () => {
    await fixture.createPod('web');
    const { log } = fixture.machine.find('main');
    const answer = await openFromNode(connection, `${path}?follow=true`);
    await until(() => log.followers === 1);
    answer.destroy();
    await until(() => log.followers === 0);
  });

  it('of the run before can be had, and of a container that waits for its next run', async () => {
    fixture.machine.scripts.set('main', [{}, {}]);
    await fixture.createPod('web');
    fixture.machine.find('main').print('first');
    fixture.machine.find('main').end(1);
    await fixture.pass(1);
    fixture.machine.find('main').print('second');
    assert.equal((await get(path)).body, 'second\n');
    assert.equal((await get(`${path}?previous=1`)).body, 'first\n');
    fixture.machine.find('main').end(1);
    await fixture.pass(1);
    assert.equal((await fixture.containerOf('web')).state?.waiting?.reason, 'CrashLoopBackOff');
    assert.equal((await get(path)).body, 'second\n');
    assert.equal((await get(`${path}?previous=1`)).body, 'second\n');
  });

  it('of a container that has not started says so', async () => {
    fixture.machine.pulls.set('image:1', () => {
      throw new Error('no');
    });
    await fixture.createPod('web');
    const { status, body } = await get(path);
    assert.equal(status, 400);
    assert.match(body, /waiting to start: RunContainerError/);
  });
});
