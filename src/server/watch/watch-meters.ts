import type { MetricFamily } from '../../base/metrics/metric-family.ts';
import type { Metrics } from '../../base/metrics/metrics.ts';
import type { NumberMetric } from '../../base/metrics/number-metric.ts';
import type { ServedVersion } from '../../kinds/served-version.ts';

/** Count the events that watchers were told of. */
export class WatchMeters {
  readonly #family: MetricFamily<NumberMetric>;
  readonly #meters = new Map<ServedVersion, NumberMetric>();

  constructor(metrics: Metrics) {
    this.#family = metrics.counter({
      name: 'apiserver_watch_events_total',
      help: 'Events that were sent to watchers.',
      labels: ['group', 'version', 'kind'],
    });
  }

  of(served: ServedVersion): NumberMetric {
    let meter = this.#meters.get(served);
    if (!meter) {
      const { group, version, kind } = served;
      this.#meters.set(served, (meter = this.#family.with({ group, version, kind: kind.kind })));
    }
    return meter;
  }
}
