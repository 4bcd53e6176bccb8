import { replicationController as kind, type ReplicationController } from '../kinds/core/replication-controller.ts';
import type { Controller } from './loop/controller.ts';
import { startReplicaSync, type ReplicaRule } from './replica-sync.ts';

const rule: ReplicaRule<ReplicationController> = {
  kind,
  getReplicas: ({ spec }) => spec.replicas ?? 1,
  getSelector: ({ spec }) => ({ matchLabels: spec.selector }),
  getTemplate: ({ spec }) => spec.template,
  getStatus: ({ status }) => status,
  getMinReadySeconds: () => 0,
  withStatus: (object, status) => ({ ...object, status }),
};

/** Keeps as many pods as each ReplicationController asks for. */
export const replicationControllers: Controller = {
  name: 'replication-controller',
  start: (context) => startReplicaSync(rule, context),
};
