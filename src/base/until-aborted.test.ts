import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred } from './deferred.ts';
import { untilAborted } from './until-aborted.ts';

test('a promise that settles first settles as it is', async () => {
  const { signal } = new AbortController();
  assert.equal(await untilAborted(Promise.resolve(1), signal), 1);
  await assert.rejects(untilAborted(Promise.reject(new Error('broken')), signal), /broken/);
});

test('a promise that takes longer is given up with the reason', async () => {
  const controller = new AbortController();
  const waiting = untilAborted(deferred<void>().promise, controller.signal);
  controller.abort(new Error('stopped'));
  await assert.rejects(waiting, /stopped/);
});

test('nothing is waited for after the end', async () => {
  const signal = AbortSignal.abort(new Error('stopped'));
  await assert.rejects(untilAborted(Promise.resolve(1), signal), /stopped/);
  // What fails later is nobody's concern any more.
  await assert.rejects(untilAborted(Promise.reject(new Error('broken')), signal), /stopped/);
});
