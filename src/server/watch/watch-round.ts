import type { EventView } from '../../registry/event-view.ts';
import type { Change } from '../../registry/watch.ts';
import type { ObjectEvent } from '../../registry/watch-event.ts';

interface Made {
  readonly view: EventView;
  readonly changes: readonly Change[];
  readonly chunk: Buffer;
}

const lineEnd = Buffer.from('\r\n');

/**
 * What is told to all watchers at one moment. Watchers that hear of the same changes get the same buffer: the lines of all of them, framed
 * as one chunk of an HTTP answer. It lives no longer than the moment, so nothing is kept for the sake of sharing.
 */
export class WatchRound {
  readonly #made = new Map<ObjectEvent, Made[]>();

  chunk(changes: readonly Change[], view: EventView): Buffer {
    const first = changes[0]!.event;
    let candidates = this.#made.get(first);
    if (!candidates) this.#made.set(first, (candidates = []));
    let made = candidates.find((candidate) => candidate.view === view && areSame(candidate.changes, changes));
    if (!made) {
      made = { view, changes, chunk: frame(changes.map(({ type, event }) => event.line(type, view))) };
      candidates.push(made);
    }
    return made.chunk;
  }
}

function areSame(some: readonly Change[], others: readonly Change[]): boolean {
  if (some.length !== others.length) return false;
  return some.every(({ type, event }, i) => others[i]!.event === event && others[i]!.type === type);
}

/** One chunk of a chunked HTTP answer. */
export function frame(lines: readonly Buffer[]): Buffer {
  let length = 0;
  for (const line of lines) length += line.length;
  const head = Buffer.from(`${length.toString(16)}\r\n`);
  return Buffer.concat([head, ...lines, lineEnd], head.length + length + lineEnd.length);
}
