import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '../../base/metrics/metrics.ts';
import { SteppedClock } from '../../base/stepped-clock.ts';
import { withDefaults } from '../limits.ts';
import { WatchSession } from './watch-session.ts';
import { WatchSessions } from './watch-sessions.ts';
import type { WatchSink } from './watch-sink.ts';
import type { WatchView } from './watch-view.ts';

/** A client that keeps what it is told. */
class KeptLines implements WatchSink {
  readonly buffered = 0;
  readonly told: string[] = [];
  isEnded = false;
  readonly #isClosed: boolean;

  constructor(isClosed = false) {
    this.#isClosed = isClosed;
  }

  changes: WatchSink['changes'] = (changes, view) =>
    this.lines(changes.map(({ type, event }) => event.line(type, view)));

  lines(lines: readonly Buffer[]): void {
    for (const line of lines) this.told.push(String(line));
  }

  onceDrained(): void {}

  onceClosed(callback: () => void): void {
    if (this.#isClosed) callback();
  }

  end(): void {
    this.isEnded = true;
  }

  destroy(): void {}
}

function openSession(clock = new SteppedClock()) {
  let bookmarks = 0;
  const view: WatchView = {
    line: (type) => Buffer.from(`${type}\n`),
    bookmark: () => ({ bookmark: bookmarks++ }),
  };
  const sessions = new WatchSessions();
  const told = new Metrics().counter({ name: 'told', help: 'For this test.' }).with();
  const limits = withDefaults({});
  const session = new WatchSession({ view, told, sessions, clock, limits, timeoutMs: 1e9, bookmarks: true });
  let isClosed = false;
  const handle = { revision: () => 1, close: () => void (isClosed = true) };
  return { session, sessions, clock, handle, isClosed: () => isClosed };
}

test('nothing is left of a watch whose client went away before it began', () => {
  const { session, sessions, handle, isClosed } = openSession();
  session.begin(handle, new KeptLines(true));
  assert.equal(sessions.size, 0);
  assert.ok(isClosed());
});

test('a watch that begins when the server closes ends at once', () => {
  const { session, sessions, handle, isClosed } = openSession();
  const sink = new KeptLines();
  sessions.close();
  session.begin(handle, sink);
  assert.deepEqual([sessions.size, sink.isEnded, isClosed()], [0, true, true]);
});

test('however many changes come at once, all are told', () => {
  const { session, sessions, handle } = openSession();
  const sink = new KeptLines();
  session.begin(handle, sink);
  const line = Buffer.from('changed\n');
  const event = { line: () => line } as unknown as Parameters<WatchSession['onChanges']>[0][number]['event'];
  session.onChanges(Array.from({ length: 300_000 }, () => ({ type: 'MODIFIED', event })));
  sessions.close();
  assert.equal(sink.told.filter((each) => each === 'changed\n').length, 300_000);
});
