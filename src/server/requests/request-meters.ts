import type { Histogram } from '../../base/metrics/histogram.ts';
import type { Labels, MetricFamily } from '../../base/metrics/metric-family.ts';
import type { Metrics } from '../../base/metrics/metrics.ts';
import type { NumberMetric } from '../../base/metrics/number-metric.ts';
import type { RequestTarget } from '../request-target.ts';
import type { Operation, ResourceRoutes } from '../route.ts';

/** A request that leads to a resource. */
export interface MeteredCall {
  readonly target: RequestTarget;
  readonly operation: Operation;
  readonly isWatch: boolean;
}

const scopes = ['cluster', 'namespace', 'resource'] as const;

/** What operators call the verbs. */
const verbLabels: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT' };
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const callLabels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope'];
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counts the requests of one sort. */
export class RequestMeter {
  readonly #labels: Labels;
  readonly #families: MeterFamilies;
  readonly #counts = new Map<number, NumberMetric>();
  readonly #current: NumberMetric;
  /** Absent for requests that go on for as long as the client likes. */
  readonly #duration: Histogram | undefined;

  constructor(families: MeterFamilies, labels: Labels, isLong: boolean) {
    this.#families = families;
    this.#labels = labels;
    const isReading = ['GET', 'HEAD', 'LIST', 'OPTIONS'].includes(labels['verb'] ?? '');
    this.#current = isLong
      ? families.longRunning.with(labels)
      : families.inFlight.with({ request_kind: isReading ? 'readOnly' : 'mutating' });
    this.#duration = isLong ? undefined : families.duration.with(labels);
  }

  begin(): void {
    this.#current.add(1);
  }

  end(code: number, seconds: number): void {
    this.#current.add(-1);
    this.#duration?.observe(seconds);
    let count = this.#counts.get(code);
    if (!count) this.#counts.set(code, (count = this.#families.total.with({ ...this.#labels, code: String(code) })));
    count.add();
  }
}

interface MeterFamilies {
  readonly total: MetricFamily<NumberMetric>;
  readonly duration: MetricFamily<Histogram>;
  readonly inFlight: MetricFamily<NumberMetric>;
  readonly longRunning: MetricFamily<NumberMetric>;
}

/** The meters of a server, found without building any text: each sort of request has its own, made when the first one comes. */
export class RequestMeters {
  readonly #families: MeterFamilies;
  readonly #byResource = new Map<ResourceRoutes, Map<Operation, RequestMeter[]>>();
  readonly #byPath = new Map<string, Map<string, RequestMeter>>();

  constructor(metrics: Metrics) {
    this.#families = {
      total: metrics.counter({
        name: 'apiserver_request_total',
        help: 'Requests that were answered, by what was asked and the code of the answer; 499 where the client left first.',
        labels: [...callLabels, 'code'],
      }),
      duration: metrics.histogram(
        {
          name: 'apiserver_request_duration_seconds',
          help: 'Time from a request to the end of its answer; streams are not in it.',
          labels: callLabels,
        },
        durationBounds,
      ),
      inFlight: metrics.gauge({
        name: 'apiserver_current_inflight_requests',
        help: 'Requests that are being answered; streams are not in it.',
        labels: ['request_kind'],
      }),
      longRunning: metrics.gauge({
        name: 'apiserver_longrunning_requests',
        help: 'Open streams, such as watches.',
        labels: callLabels,
      }),
    };
    for (const kind of ['readOnly', 'mutating']) this.#families.inFlight.with({ request_kind: kind });
  }

  ofCall({ target, operation, isWatch }: MeteredCall): RequestMeter {
    let operations = this.#byResource.get(target.resource);
    if (!operations) this.#byResource.set(target.resource, (operations = new Map<Operation, RequestMeter[]>()));
    let meters = operations.get(operation);
    if (!meters) operations.set(operation, (meters = []));
    const scope = target.name !== undefined ? 2 : target.namespace !== undefined ? 1 : 0;
    const at = isWatch ? scope + scopes.length : scope;
    return (meters[at] ??= this.#make({ target, operation, isWatch }, scopes[scope]));
  }

  /** For paths that are no resource. Only known paths may be named: every name is a metric that stays. */
  ofPath(method: string, path: string): RequestMeter {
    let meters = this.#byPath.get(path);
    if (!meters) this.#byPath.set(path, (meters = new Map<string, RequestMeter>()));
    const verb = methods.has(method) ? method : 'OTHER';
    let meter = meters.get(verb);
    if (!meter) meters.set(verb, (meter = new RequestMeter(this.#families, { verb, subresource: path }, false)));
    return meter;
  }

  #make({ target, operation, isWatch }: MeteredCall, scope: string): RequestMeter {
    const { resource, subresource = '' } = target;
    const isLong = isWatch || operation.style === 'stream';
    const verb = isWatch ? 'WATCH' : isLong ? 'CONNECT' : (verbLabels[operation.verb] ?? operation.verb.toUpperCase());
    const { group, version } = resource.served;
    return new RequestMeter(
      this.#families,
      { verb, group, version, resource: resource.name, subresource, scope },
      isLong,
    );
  }
}
