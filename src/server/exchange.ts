import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { CollectionAddress, ObjectAddress } from '../registry/address.ts';
import type { PiecedBytes } from '../registry/pieced-bytes.ts';
import type { Registry } from '../registry/registry.ts';
import type { User } from '../registry/write.ts';
import type { Upgrade } from '../streams/upgrade.ts';
import type { NodeConnections } from './connect/node-connections.ts';
import type { OpenConnections } from './connect/open-connections.ts';
import type { TurnGate } from './http/turn-gate.ts';
import type { ServerLimits } from './limits.ts';
import type { Authorize } from './request-action.ts';
import type { RequestTarget } from './request-target.ts';
import type { RequestRecord } from './requests/request-record.ts';
import type { RequestedShape } from './table/shape.ts';
import type { WatchMeters } from './watch/watch-meters.ts';
import type { WatchSessions } from './watch/watch-sessions.ts';
import type { WatchViews } from './watch/watch-view.ts';

/** Says how the parts of the control plane are; ComponentStatus objects are not stored. */
export interface ComponentStatuses {
  list(): Promise<readonly ApiObject[]>;
}

/** What operations work with. */
export interface ServerContext {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly limits: ServerLimits;
  readonly componentStatuses: ComponentStatuses;
  readonly watches: WatchSessions;
  readonly views: WatchViews;
  readonly watchMeters: WatchMeters;
  /** Where requests wait for each other once all of them is read. */
  readonly gate: TurnGate;
  /** Everything is allowed when absent. */
  readonly authorize?: Authorize;
  /** No node is reached when absent. */
  readonly nodes?: NodeConnections;
  readonly connections: OpenConnections;
}

/** A client that asks to speak another protocol. Whoever serves it takes the socket over, or declines and answers. */
export interface RequestedUpgrade extends Upgrade {
  /** The connection stays HTTP for this answer, and ends with it. */
  decline(): void;
}

/** One request on its way. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: RequestTarget;
  readonly query: URLSearchParams;
  readonly user: User;
  /** What objects are to be turned into; absent where they are sent whole. */
  readonly shape?: RequestedShape;
  readonly record: RequestRecord;
  readonly requestId: string;
  readonly context: ServerContext;
  /** Only for operations that take upgrades. */
  readonly upgrade?: RequestedUpgrade;
}

/** What is to be sent, in the format that was asked for. */
export interface Answer {
  readonly code: number;
  /** JSON bytes as they are, whole or in pieces, or a value to encode. */
  readonly body: Buffer | PiecedBytes | object;
  readonly warnings?: readonly string[];
}

export function collectionAddress({ target }: Exchange): CollectionAddress {
  return { served: target.resource.served, namespace: target.namespace };
}

/** For endpoints that paths with a name lead to. */
export function objectAddress({ target }: Exchange): ObjectAddress {
  return { served: target.resource.served, namespace: target.namespace, name: target.name ?? '' };
}
