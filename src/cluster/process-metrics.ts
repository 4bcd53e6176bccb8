import { readdir, readFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../base/clock.ts';
import type { Metrics, Sample } from '../base/metrics/metrics.ts';

const microsecond = 1e-6;
const nanosecond = 1e-9;

/** Tells how this process fares. The returned function ends what measures all the time. */
export function measureProcess(metrics: Metrics, clock: Clock): () => void {
  measureResources(metrics, clock);
  return measureEventLoop(metrics);
}

function measureResources(metrics: Metrics, clock: Clock): void {
  const startedAt = clock.now() / 1000 - process.uptime();
  metrics.computed({ name: 'process_cpu_seconds_total', help: 'Processor time of the process.' }, 'counter', () => {
    const { user, system } = process.cpuUsage();
    return [{ value: (user + system) * microsecond }];
  });
  metrics.computed(
    { name: 'process_resident_memory_bytes', help: 'Memory of the process that is in use.' },
    'gauge',
    () => [{ value: process.memoryUsage.rss() }],
  );
  metrics.computed(
    { name: 'process_start_time_seconds', help: 'When the process began, in seconds since the epoch.' },
    'gauge',
    () => [{ value: startedAt }],
  );
  metrics.computed({ name: 'process_open_fds', help: 'Open files and sockets.' }, 'gauge', openFiles);
  metrics.computed({ name: 'process_max_fds', help: 'How many files and sockets can be open.' }, 'gauge', mostFiles);
  metrics.computed({ name: 'nodejs_heap_size_used_bytes', help: 'Heap that is in use.' }, 'gauge', () => [
    { value: process.memoryUsage().heapUsed },
  ]);
}

/** Only Linux tells; elsewhere reading fails and the metric is left out. */
async function openFiles(): Promise<Sample[]> {
  const descriptors = await readdir('/proc/self/fd');
  // One of them is the directory being read.
  return [{ value: descriptors.length - 1 }];
}

async function mostFiles(): Promise<Sample[]> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const found = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  if (found === undefined) return [];
  return [{ value: found === 'unlimited' ? Infinity : Number(found) }];
}

/** How late timers fire, since the metrics were last read: what is above a few milliseconds is work that kept everything waiting. */
function measureEventLoop(metrics: Metrics): () => void {
  const resolution = 10;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  // What is measured is the time from one look to the next, of which the resolution was meant.
  const seconds = (nanoseconds: number): number => Math.max(0, (nanoseconds * nanosecond || 0) - resolution / 1000);
  metrics.computed({ name: 'nodejs_eventloop_lag_seconds', help: 'How late timers fire.' }, 'gauge', () => {
    const samples = [
      { labels: { quantile: '0.5' }, value: seconds(delay.percentile(50)) },
      { labels: { quantile: '0.99' }, value: seconds(delay.percentile(99)) },
      { labels: { quantile: '1' }, value: seconds(delay.max) },
    ];
    delay.reset();
    return samples;
  });
  return () => void delay.disable();
}
