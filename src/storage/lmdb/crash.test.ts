import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../base/clock.ts';
import type { Storage, StorageEvent } from '../storage.ts';
import { entryTexts, WatchLog } from '../suite/expectations.ts';
import { openLmdbStorage } from './lmdb-storage.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const child = fileURLToPath(new URL('crash.test.child.js', import.meta.url));
const writers = 8;

/** Runs the writer until it has printed so many answered writes, kills it in the midst of others, and gives all that it printed. */
async function answeredBeforeKill(path: string, run: string, count: number): Promise<string[]> {
  const writer = spawn(process.execPath, [child, path, run], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(writer, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: writer.stdout })) {
    lines.push(line);
    if (lines.length === count) writer.kill('SIGKILL');
  }
  assert.deepEqual(await exited, [null, 'SIGKILL']);
  return lines;
}

function lineOf(event: StorageEvent): string {
  const value = event.type === 'deleted' ? 'deleted' : event.value.toString().slice(0, 'created'.length);
  return `${event.key} ${value} ${event.revision}`;
}

async function eventsAfter(storage: Storage, revision: number): Promise<StorageEvent[]> {
  const log = new WatchLog();
  (await storage.watch('/', revision, log)).close();
  return log.events;
}

/** The entries that the events, played from the start, leave behind. */
function entriesFrom(events: readonly StorageEvent[]): string[] {
  const entries = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'deleted') entries.delete(event.key);
    else entries.set(event.key, `${event.key}=${event.value.toString()}@${event.revision}`);
  }
  return [...entries.keys()].sort().map((key) => entries.get(key)!);
}

test('every write that was answered before a kill is there after it, and a watch misses none', async (t) => {
  const path = await temporaryDirectory(t);
  const answered: string[] = [];
  for (const [run, count] of [1, 40, 700, 333].entries()) {
    answered.push(...(await answeredBeforeKill(path, `run-${run}`, count)));
    const storage = await openLmdbStorage({ path, clock: systemClock });
    const events = await eventsAfter(storage, 0);
    const revisions = events.map(({ revision }) => revision);
    assert.deepEqual(
      revisions,
      Array.from(events, (_, index) => index + 1),
    );
    const lines = new Set(events.map(lineOf));
    assert.deepEqual(
      answered.filter((line) => !lines.has(line)),
      [],
    );
    // Each writer can have had one more write on its way when it was killed, in every run.
    assert.ok(events.length - answered.length <= writers * (run + 1));
    assert.equal(await storage.revision(), events.length);
    assert.deepEqual(entryTexts(await storage.list('/')), entriesFrom(events));
    const middle = Math.floor(events.length / 2);
    assert.deepEqual(await eventsAfter(storage, middle), events.slice(middle));
    await storage.close();
  }
});
