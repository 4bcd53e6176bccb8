#!/usr/bin/env node
import { systemClock } from './base/clock.ts';
import { main } from './cli/main.ts';
import { stopSignals } from './cli/stop-signals.ts';

const signalNumbers: Readonly<Record<string, number>> = { SIGINT: 2, SIGTERM: 15 };

// A reader that went away (wherry up | head -1) is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const signals = stopSignals({
  source: process,
  clock: systemClock,
  onForce: (signal) => process.exit(128 + (signalNumbers[signal] ?? 0)),
});
// The clock's timers keep no process alive, and a component that waits for its turn has nothing else open.
const alive = setInterval(() => {}, 2 ** 30);
const { argv, stdout, stderr } = process;
process.exitCode = await main(argv.slice(2), { stdout, stderr, clock: systemClock, stop: signals.stop });
clearInterval(alive);
signals.release();
