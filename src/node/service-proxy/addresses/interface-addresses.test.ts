import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteppedClock } from '../../../base/stepped-clock.ts';
import { runInOwnNetwork, whyNoOwnNetwork } from '../testing/own-network.ts';
import { commandRunner } from './run-command.ts';

test('addresses are on the machine for as long as services need them', { skip: await whyNoOwnNetwork() }, async () => {
  await runInOwnNetwork(new URL('../testing/added-addresses.js', import.meta.url));
});

test('a command that fails says why', async () => {
  const run = commandRunner(new SteppedClock());
  assert.equal(await run('sh', ['-c', 'echo fine']), 'fine\n');
  await assert.rejects(run('sh', ['-c', 'echo broken >&2; exit 3']), { message: 'sh failed: broken' });
  await assert.rejects(run('no-such-program', []), { message: 'the program no-such-program is not on this machine' });
});

test('a command that takes too long is ended', async () => {
  const clock = new SteppedClock();
  const result = commandRunner(clock)('sleep', ['1000']);
  clock.step(10_000);
  await assert.rejects(result, { message: 'sleep took longer than 10 seconds' });
});
