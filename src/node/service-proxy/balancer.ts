import type { Clock } from '../../base/clock.ts';
import { fraction, type Ids } from '../../base/ids.ts';
import { BoundedMap } from '../../client/bounded-map.ts';
import { endpointKey, type Endpoint } from './endpoint.ts';

export interface BalancerSettings {
  readonly endpoints: readonly Endpoint[];
  /** Whether a client is sent to the same endpoint again for three hours after it last came. */
  readonly isSticky: boolean;
}

interface LastChoice {
  readonly key: string;
  readonly at: number;
}

/** How long a client is remembered, as in the reference. */
const affinityMs = 3 * 60 * 60 * 1000;
const rememberedClients = 16_384;
const noneTried: ReadonlySet<string> = new Set();

/** Says which endpoint of a service port is next: in turn from a random beginning, or the one that the client had before. */
export class Balancer {
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #lastChoices = new BoundedMap<string, LastChoice>(rememberedClients);
  #endpoints: readonly Endpoint[] = [];
  #byKey: ReadonlyMap<string, Endpoint> = new Map();
  #isSticky = false;
  #position: number | undefined;

  constructor(parts: { readonly clock: Clock; readonly ids: Ids }) {
    this.#clock = parts.clock;
    this.#ids = parts.ids;
  }

  /** Counts from the next choice on. */
  set({ endpoints, isSticky }: BalancerSettings): void {
    this.#endpoints = endpoints;
    this.#byKey = new Map(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
    this.#isSticky = isSticky;
  }

  get isEmpty(): boolean {
    return this.#endpoints.length === 0;
  }

  has(endpoint: Endpoint): boolean {
    return this.#byKey.has(endpointKey(endpoint));
  }

  /** An endpoint for a client's address, other than those tried already; nothing when there is none left. */
  choose(client: string, tried = noneTried): Endpoint | undefined {
    const endpoint = this.#choiceBefore(client, tried) ?? this.#next(tried);
    if (endpoint && this.#isSticky) {
      this.#lastChoices.set(client, { key: endpointKey(endpoint), at: this.#clock.now() });
    }
    return endpoint;
  }

  /** The client's last choice was a bad one: the next may be another. */
  forget(client: string): void {
    this.#lastChoices.set(client, { key: '', at: -Infinity });
  }

  #choiceBefore(client: string, tried: ReadonlySet<string>): Endpoint | undefined {
    if (!this.#isSticky) return undefined;
    const last = this.#lastChoices.get(client);
    if (!last || this.#clock.now() - last.at >= affinityMs || tried.has(last.key)) return undefined;
    return this.#byKey.get(last.key);
  }

  #next(tried: ReadonlySet<string>): Endpoint | undefined {
    const count = this.#endpoints.length;
    const first = this.#position ?? Math.floor(fraction(this.#ids) * count);
    for (let i = 0; i < count; i++) {
      const position = (first + i) % count;
      const endpoint = this.#endpoints[position]!;
      if (tried.has(endpointKey(endpoint))) continue;
      this.#position = position + 1;
      return endpoint;
    }
    return undefined;
  }
}
