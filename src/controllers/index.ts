import { podAutoscalers } from './autoscaling/horizontal-pod-autoscaler.ts';
import type { AutoscalingTimes } from './autoscaling/autoscaling-times.ts';
import { daemonSets } from './daemon-set/daemon-set.ts';
import { deployments } from './deployment/deployment.ts';
import { serviceEndpoints } from './endpoints/endpoints.ts';
import { garbageCollection } from './garbage-collection/garbage-collection.ts';
import { jobs } from './job/job.ts';
import type { Controller } from './loop/controller.ts';
import { namespaces } from './namespace/namespace.ts';
import { nodeLifecycle } from './node-lifecycle/node-lifecycle.ts';
import type { NodeTimes } from './node-lifecycle/node-records.ts';
import type { ReclaimOptions } from './persistent-volume/reclaim.ts';
import { volumeBinder } from './persistent-volume/volume-binder.ts';
import { podCollection, type PodCollectionOptions } from './pod-collection/pod-collection.ts';
import { resourceQuotas } from './quota/resource-quota.ts';
import { replicaSets } from './replica-set.ts';
import { replicationControllers } from './replication-controller.ts';
import { accountTokens } from './service-account/account-tokens.ts';
import { defaultAccounts } from './service-account/default-accounts.ts';
import type { TokenOptions } from './service-account/token-secret.ts';

export interface ControllersOptions {
  /** How the tokens of service accounts are made; accounts get none when absent. */
  readonly accountTokens?: TokenOptions;
  /** How long nodes may be silent. */
  readonly nodes?: Partial<NodeTimes>;
  readonly podCollection?: PodCollectionOptions;
  /** What is done with volumes whose claims are gone. */
  readonly volumes?: ReclaimOptions;
  /** How often autoscalers look, and how long they wait. */
  readonly autoscaling?: Partial<AutoscalingTimes>;
}

/** Every controller that a cluster runs. */
export function allControllers(options: ControllersOptions = {}): readonly Controller[] {
  return [
    ...(options.accountTokens ? [accountTokens(options.accountTokens)] : []),
    daemonSets,
    defaultAccounts,
    deployments,
    garbageCollection,
    jobs,
    namespaces,
    nodeLifecycle(options.nodes),
    podAutoscalers(options.autoscaling),
    podCollection(options.podCollection),
    replicaSets,
    replicationControllers,
    resourceQuotas,
    serviceEndpoints,
    volumeBinder(options.volumes),
  ];
}
