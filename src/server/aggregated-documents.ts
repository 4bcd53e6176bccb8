import type { Discovery } from './discovery.ts';
import { parseAccept, type MediaRange } from './http/media-ranges.ts';
import { readyDocument, type DescribedDocument } from './openapi/described-document.ts';

const group = 'apidiscovery.k8s.io';
const versions = ['v2', 'v2beta1'] as const;
type AggregatedVersion = (typeof versions)[number];

/** Discovery in one answer, for clients that ask `/api` and `/apis` for it by media type. Worked out when it is first asked for. */
export class AggregatedDocuments {
  readonly #discovery: Discovery;
  readonly #ready = new Map<string, DescribedDocument>();

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  /** Undefined where the path has no such form, or the client likes the usual one better. */
  async find(path: string, accept: string | undefined): Promise<DescribedDocument | undefined> {
    if ((path !== '/api' && path !== '/apis') || !accept?.includes(group)) return undefined;
    const version = wantedVersion(accept);
    if (!version) return undefined;
    const key = `${path} ${version}`;
    const ready = this.#ready.get(key) ?? (await this.#write(path, version));
    this.#ready.set(key, ready);
    return ready;
  }

  async #write(path: '/api' | '/apis', version: AggregatedVersion): Promise<DescribedDocument> {
    const { aggregateDiscovery } = await import('./aggregated-discovery.ts');
    const content = aggregateDiscovery(this.#discovery, path, version);
    const contentType = `application/json;g=${group};v=${version};as=${content.kind}`;
    return readyDocument(contentType, Buffer.from(JSON.stringify(content)));
  }
}

function wantedVersion(accept: string): AggregatedVersion | undefined {
  for (const range of parseAccept(accept)) {
    if (range.type !== 'application/json' && range.type !== '*/*') continue;
    if (!range.parameters.has('as')) return undefined;
    const version = aggregatedVersion(range);
    if (version) return version;
  }
  return undefined;
}

function aggregatedVersion({ parameters }: MediaRange): AggregatedVersion | undefined {
  if (parameters.get('as') !== 'APIGroupDiscoveryList' || parameters.get('g') !== group) return undefined;
  return versions.find((version) => version === parameters.get('v'));
}
