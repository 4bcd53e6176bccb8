/** Bounds on what a client can make the server hold. */
export interface ServerLimits {
  /** Largest request body. */
  readonly bodyBytes: number;
  /** Requests answered at the same time, watches and other long ones not counted; 0 for no bound. */
  readonly requestsInFlight: number;
  /** What may wait for a watcher that does not read; beyond it the watch ends with 410. */
  readonly watchBufferBytes: number;
  /** How long a watcher may take to read anything at all of what was there when it began, and of what was left when it ended. */
  readonly watchStallMs: number;
}

const defaults: ServerLimits = {
  bodyBytes: 3 * 1024 * 1024,
  requestsInFlight: 1000,
  watchBufferBytes: 8 * 1024 * 1024,
  watchStallMs: 60_000,
};

/** What is given, and the usual for the rest. */
export function withDefaults(given: Partial<ServerLimits>): ServerLimits {
  const {
    bodyBytes = defaults.bodyBytes,
    requestsInFlight = defaults.requestsInFlight,
    watchBufferBytes = defaults.watchBufferBytes,
    watchStallMs = defaults.watchStallMs,
  } = given;
  return { bodyBytes, requestsInFlight, watchBufferBytes, watchStallMs };
}
