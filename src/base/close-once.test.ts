import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeOnce } from './close-once.ts';

const unexpected = (error: unknown): never => assert.fail(String(error));

test('it ends once, as the first says, and all get the same promise', async () => {
  const ends: (string | undefined)[] = [];
  const close = closeOnce(async (how?: string) => void ends.push(how), { onFailure: unexpected });
  assert.equal(close('softly'), close('hard'));
  await close();
  assert.deepEqual(ends, ['softly']);
});

test('a signal ends it, also one that is aborted already', async () => {
  let ends = 0;
  const end = async (): Promise<void> => void ends++;
  const stopping = new AbortController();
  const close = closeOnce(end, { signal: stopping.signal, onFailure: unexpected });
  assert.equal(ends, 0);
  stopping.abort();
  assert.equal(ends, 1);
  await close();
  closeOnce(end, { signal: stopping.signal, onFailure: unexpected });
  assert.equal(ends, 2);
});

test('a failure on behalf of the signal is told', async () => {
  const failure = new Error('stuck');
  const told = new Promise((resolve) => {
    const end = (): Promise<void> => Promise.reject(failure);
    closeOnce(end, { signal: AbortSignal.abort(), onFailure: resolve });
  });
  assert.equal(await told, failure);
});
