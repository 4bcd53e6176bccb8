import type { Metrics } from '../base/metrics/metrics.ts';
import type { Kind } from '../kinds/kind.ts';
import type { AnsweredKind } from '../registry/answered-kind.ts';
import { AggregatedDocuments } from './aggregated-documents.ts';
import { buildDiscovery, type Discovery } from './discovery.ts';
import type { DescribedDocument } from './openapi/described-document.ts';
import { Descriptions } from './openapi/descriptions.ts';
import type { Routes } from './route.ts';
import { versionInfo } from './version.ts';

export interface DocumentsParts {
  readonly kinds: readonly Kind[];
  readonly answeredKinds?: readonly AnsweredKind[];
  readonly routes: Routes;
  readonly metrics: Metrics;
  readonly release: string;
}

/** What is found at a path that is no resource. */
export type FoundDocument =
  /** JSON, to be sent in the format that the client likes best. */
  | { readonly value: Buffer | object }
  /** Bytes that know their own form. */
  | { readonly described: DescribedDocument }
  /** Text that is written when it is sent. */
  | { readonly writeText: () => Promise<string>; readonly contentType: string };

const metricsPath = '/metrics';

const otherPaths = [
  '/version',
  '/healthz',
  '/healthz/ping',
  '/livez',
  metricsPath,
  '/readyz',
  '/openapi/v2',
  '/openapi/v3',
  '/swaggerapi',
];

/** Discovery, descriptions of the API, version and metrics. */
export class Documents {
  readonly #parts: DocumentsParts;
  readonly #discovery: Discovery;
  readonly #aggregated: AggregatedDocuments;
  readonly #descriptions: Descriptions;

  constructor(parts: DocumentsParts) {
    const { kinds, answeredKinds, routes, release } = parts;
    this.#parts = parts;
    this.#discovery = buildDiscovery({ kinds, answeredKinds, otherPaths });
    this.#aggregated = new AggregatedDocuments(this.#discovery);
    this.#descriptions = new Descriptions({ kinds, answeredKinds, routes, discovery: this.#discovery, release });
  }

  /** Undefined where there is none. */
  async find(path: string, accept: string | undefined): Promise<FoundDocument | undefined> {
    const described = (await this.#descriptions.find(path, accept)) ?? (await this.#aggregated.find(path, accept));
    if (described) return { described };
    if (path === metricsPath) {
      const contentType = 'text/plain; version=0.0.4; charset=utf-8';
      return { writeText: () => this.#parts.metrics.text(), contentType };
    }
    const value = path === '/version' ? versionInfo(this.#parts.release) : this.#discovery.get(path);
    return value && { value };
  }
}
