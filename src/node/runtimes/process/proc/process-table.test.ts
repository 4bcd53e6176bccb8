import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { ProcessTable } from './process-table.ts';

const unshare = ['--user', '--map-root-user', '--mount'];
const skip =
  spawnSync('unshare', [...unshare, 'true']).status !== 0 && 'this machine gives processes no mounts of their own';

/** A process in a mount namespace of its own. */
async function isolated(t: TestContext): Promise<ChildProcess> {
  const child = spawn('unshare', [...unshare, 'sh', '-c', 'echo here; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'ignore'] }); // prettier-ignore
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describe('the table of processes', { skip }, () => {
  it('finds a process by the mounts of its container', async (t) => {
    const table = new ProcessTable();
    t.after(() => table.close());
    const { pid = 0 } = await isolated(t);
    table.learnNamespace('a', pid);
    assert.deepEqual((await table.scan()).get('a')?.map((process) => process.pid), [pid]); // prettier-ignore
    table.forget('a');
    const other = new ProcessTable();
    assert.equal((await other.scan()).get('a'), undefined);
  });

  it('never takes a stranger for a process of a container whose mounts are gone, although the kernel counts them alike', async (t) => {
    const table = new ProcessTable();
    t.after(() => table.close());
    const first = await isolated(t);
    table.learnNamespace('a', first.pid!);
    await end(first);
    // The first number that is free is given out next, when the kernel has cleaned up.
    for (let i = 0; i < 20; i++) {
      const stranger = await isolated(t);
      assert.equal((await table.scan()).get('a'), undefined);
      await end(stranger);
    }
  });
});
