import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { Metrics } from '../base/metrics/metrics.ts';
import { SteppedClock } from '../base/stepped-clock.ts';
import { MeasuredStorage } from './measured-storage.ts';
import { openMemoryStorage } from './memory/memory-storage.ts';
import { storageSuite } from './suite/storage-suite.ts';

storageSuite('measured', async (t, options = {}) => {
  const memory = openMemoryStorage({ clock: systemClock, ...options });
  t.after(() => memory.close());
  return new MeasuredStorage(memory, systemClock, new Metrics());
});

/** Every look at it takes 20 ms. */
class SlowClock extends SteppedClock {
  override ticks(): number {
    this.step(20);
    return super.ticks();
  }
}

test('how long each operation took is told by resource, for failed ones too', async () => {
  const clock = new SlowClock();
  const metrics = new Metrics();
  const storage = new MeasuredStorage(openMemoryStorage({ clock }), clock, metrics);
  await storage.create('/registry/pods/default/web', Buffer.from('{}'));
  await assert.rejects(storage.create('/registry/pods/default/web', Buffer.from('{}')), { code: 'Exists' });
  await storage.list('/registry/pods/');
  const text = await metrics.text();
  assert.match(text, /^etcd_request_duration_seconds_count\{operation="create",type="pods"\} 2$/m);
  assert.match(text, /^etcd_request_duration_seconds_sum\{operation="create",type="pods"\} 0\.04$/m);
  assert.match(text, /^etcd_request_duration_seconds_bucket\{operation="create",type="pods",le="0\.01"\} 0$/m);
  assert.match(text, /^etcd_request_duration_seconds_bucket\{operation="create",type="pods",le="0\.05"\} 2$/m);
  assert.match(text, /^etcd_request_duration_seconds_count\{operation="list",type="pods"\} 1$/m);
  await storage.close();
});
