import type { Clock } from '../base/clock.ts';
import type { Histogram } from '../base/metrics/histogram.ts';
import type { MetricFamily } from '../base/metrics/metric-family.ts';
import type { Metrics } from '../base/metrics/metrics.ts';
import type {
  Entry,
  Listing,
  ListOptions,
  ReadOptions,
  Storage,
  StorageWatch,
  WatchListener,
  Written,
} from './storage.ts';

type Operation = 'get' | 'list' | 'create' | 'update' | 'delete';
type Meters = Partial<Record<Operation, Histogram>>;

/** What takes time, since when. */
interface Measured {
  readonly operation: Operation;
  readonly key: string;
  readonly start: number;
}

const bounds = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/**
 * Any storage, with the time that reading and writing takes. The metric has the name under which operators know it, whatever the make;
 * its type is the resource, out of keys such as `/registry/pods/default/web`.
 */
export class MeasuredStorage implements Storage {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #durations: MetricFamily<Histogram>;
  readonly #meters = new Map<string, Meters>();

  constructor(storage: Storage, clock: Clock, metrics: Metrics) {
    this.#storage = storage;
    this.#clock = clock;
    this.#durations = metrics.histogram(
      { name: 'etcd_request_duration_seconds', help: 'Time that storage takes, by operation and resource.', labels: ['operation', 'type'] }, // prettier-ignore
      bounds,
    );
  }

  revision(): Promise<number> {
    return this.#storage.revision();
  }

  get(key: string, options?: ReadOptions): Promise<Entry | undefined> {
    const start = this.#clock.ticks();
    return this.#measure(this.#storage.get(key, options), { operation: 'get', key: key, start });
  }

  list(prefix: string, options?: ListOptions): Promise<Listing> {
    const start = this.#clock.ticks();
    return this.#measure(this.#storage.list(prefix, options), { operation: 'list', key: prefix, start });
  }

  create(key: string, value: Uint8Array): Promise<Written> {
    const start = this.#clock.ticks();
    return this.#measure(this.#storage.create(key, value), { operation: 'create', key: key, start });
  }

  update(key: string, value: Uint8Array, expected: number): Promise<Written> {
    const start = this.#clock.ticks();
    return this.#measure(this.#storage.update(key, value, expected), { operation: 'update', key: key, start });
  }

  delete(key: string, expected: number): Promise<Written> {
    const start = this.#clock.ticks();
    return this.#measure(this.#storage.delete(key, expected), { operation: 'delete', key: key, start });
  }

  watch(prefix: string, after: number, listener: WatchListener): Promise<StorageWatch> {
    return this.#storage.watch(prefix, after, listener);
  }

  compact(revision: number): Promise<void> {
    return this.#storage.compact(revision);
  }

  close(): Promise<void> {
    return this.#storage.close();
  }

  async #measure<T>(result: Promise<T>, { operation, key, start }: Measured): Promise<T> {
    try {
      return await result;
    } finally {
      this.#meter(operation, key).observe((this.#clock.ticks() - start) / 1000);
    }
  }

  #meter(operation: Operation, key: string): Histogram {
    const start = key.indexOf('/', 1) + 1;
    const end = key.indexOf('/', start);
    const type = end < 0 ? key.slice(start) : key.slice(start, end);
    let meters = this.#meters.get(type);
    if (!meters) this.#meters.set(type, (meters = {}));
    return (meters[operation] ??= this.#durations.with({ operation, type }));
  }
}
