import type { ServedVersion } from '../kinds/served-version.ts';
import type { Answer, Exchange } from './exchange.ts';
import type { ShapeName } from './table/shape.ts';

/** What a method does at an endpoint. */
export interface Operation {
  /** What authorization calls it. */
  readonly verb: string;
  /** `stream`: may go on for as long as the client likes, takes any media type and is not counted as a request in flight. */
  readonly style: 'answer' | 'stream';
  /** What the answer can be turned into; nothing when absent. A watch has its own. */
  readonly shapes?: readonly ShapeName[];
  /** What is sent and answered, where that is no object of the resource. */
  readonly answers?: ServedVersion;
  /** Whether a client may ask it to speak another protocol; elsewhere that wish is overlooked. */
  readonly takesUpgrades?: boolean;
  /** Undefined when it has answered by itself. */
  run(exchange: Exchange): Promise<Answer | undefined>;
}

/** What can be done at one path, by method. */
export type Endpoint = ReadonlyMap<string, Operation>;

export interface SubresourceRoute {
  readonly endpoint: Endpoint;
  /** Whatever follows in the path belongs to it. */
  readonly takesPath: boolean;
}

/** All endpoints of a resource in one group and version. What is absent is not there. */
export interface ResourceRoutes {
  /** Path segment. */
  readonly name: string;
  readonly namespaced: boolean;
  /** What objects are read and written as. */
  readonly served: ServedVersion;
  readonly collection?: Endpoint;
  /** The collection over all namespaces. */
  readonly everywhere?: Endpoint;
  readonly object?: Endpoint;
  readonly subresources: ReadonlyMap<string, SubresourceRoute>;
  /** Below `/watch/`: of a collection, and of a single object. */
  readonly watch?: Endpoint;
}

/** By prefix (`/api/v1`), then by path segment. */
export type Routes = ReadonlyMap<string, ReadonlyMap<string, ResourceRoutes>>;
