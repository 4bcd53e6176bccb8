import { deployments } from './deployment/deployment.ts';
import { serviceEndpoints } from './endpoints/endpoints.ts';
import { garbageCollection } from './garbage-collection/garbage-collection.ts';
import type { Controller } from './loop/controller.ts';
import { namespaces } from './namespace/namespace.ts';
import { replicaSets } from './replica-set.ts';
import { replicationControllers } from './replication-controller.ts';

/** Every controller that a cluster runs. */
export function allControllers(): readonly Controller[] {
  return [deployments, garbageCollection, namespaces, replicaSets, replicationControllers, serviceEndpoints];
}
