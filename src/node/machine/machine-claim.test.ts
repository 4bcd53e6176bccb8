import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { claimOnMachine } from './machine-claim.ts';

const onLinux = process.platform === 'linux' ? {} : { skip: 'names without files are a thing of Linux' };
const claimFile = new URL('./machine-claim.js', import.meta.url).href;

test('a name is held once, and is free again when it is released', onLinux, async () => {
  const name = `test ${process.pid} one`;
  const first = await claimOnMachine(name);
  assert.ok(first);
  assert.equal(await claimOnMachine(name), undefined);
  const other = await claimOnMachine(`${name} other`);
  assert.ok(other);
  await first.release();
  const second = await claimOnMachine(name);
  assert.ok(second);
  await Promise.all([second.release(), other.release()]);
});

test('a name is free again when the process that held it is killed', onLinux, async () => {
  const name = `test ${process.pid} two`;
  const script = `
    const { claimOnMachine } = await import(${JSON.stringify(claimFile)});
    console.log(await claimOnMachine(${JSON.stringify(name)}) ? 'held' : 'taken');
    setInterval(() => {}, 1_000_000);
  `;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  assert.equal(String((await once(holder.stdout, 'data'))[0]), 'held\n');
  assert.equal(await claimOnMachine(name), undefined);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const claim = await claimOnMachine(name);
  assert.ok(claim);
  await claim.release();
});
