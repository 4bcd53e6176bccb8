/** Where time comes from. Nothing else in the project reads the time or starts a timer. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds, with fractions, that never go back: what lies between two readings is how long something took. */
  ticks(): number;
  /** Calls back once after `ms`. The timer never keeps the process alive. */
  after(ms: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** About 25 days. The system's timers cannot be set to more, and fire at once when they are. */
const longestTimerMs = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  after(ms, callback) {
    if (ms > longestTimerMs) return afterLong(ms, callback);
    const handle = setTimeout(callback, ms);
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

function afterLong(ms: number, callback: () => void): Timer {
  let timer = systemClock.after(longestTimerMs, () => {
    timer = systemClock.after(ms - longestTimerMs, callback);
  });
  return { cancel: () => timer.cancel() };
}

/** Calls back again and again, `ms` after the last call, until cancelled. */
export function every(clock: Clock, ms: number, callback: () => void): Timer {
  let timer = clock.after(ms, tick);
  let cancelled = false;
  function tick(): void {
    callback();
    if (!cancelled) timer = clock.after(ms, tick);
  }
  return {
    cancel() {
      cancelled = true;
      timer.cancel();
    },
  };
}

/** The second that was written last: busy times write the same one again and again. */
let written = { second: NaN, text: '' };

/** The form in which the API writes a moment: RFC 3339 in UTC, whole seconds. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== written.second) written = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return written.text;
}
