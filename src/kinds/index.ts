import { configMap } from './core/config-map.ts';
import { endpoints } from './core/endpoints.ts';
import { event } from './core/event.ts';
import { limitRange } from './core/limit-range.ts';
import { namespace } from './core/namespace.ts';
import { node } from './core/node.ts';
import { persistentVolumeClaim } from './core/persistent-volume-claim.ts';
import { persistentVolume } from './core/persistent-volume.ts';
import { podTemplate } from './core/pod-template.ts';
import { pod } from './core/pod.ts';
import { replicationController } from './core/replication-controller.ts';
import { resourceQuota } from './core/resource-quota.ts';
import { secret } from './core/secret.ts';
import { serviceAccount } from './core/service-account.ts';
import { service } from './core/service.ts';
import { daemonSet } from './extensions/daemon-set.ts';
import { deployment } from './extensions/deployment.ts';
import { horizontalPodAutoscaler } from './extensions/horizontal-pod-autoscaler.ts';
import { ingress } from './extensions/ingress.ts';
import { job } from './extensions/job.ts';
import { replicaSet } from './extensions/replica-set.ts';
import type { Kind } from './kind.ts';
import { clusterRoleBinding } from './rbac/cluster-role-binding.ts';
import { clusterRole } from './rbac/cluster-role.ts';
import { roleBinding } from './rbac/role-binding.ts';
import { role } from './rbac/role.ts';

/** Every kind that is stored, in the order in which discovery lists them. What is computed (ComponentStatus) or only sent (Binding) is not here. */
export const kinds: readonly Kind[] = [
  configMap,
  endpoints,
  event,
  limitRange,
  namespace,
  node,
  persistentVolumeClaim,
  persistentVolume,
  pod,
  podTemplate,
  replicationController,
  resourceQuota,
  secret,
  serviceAccount,
  service,
  daemonSet,
  deployment,
  horizontalPodAutoscaler,
  ingress,
  job,
  replicaSet,
  clusterRole,
  clusterRoleBinding,
  role,
  roleBinding,
];
