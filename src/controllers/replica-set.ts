import { replicaSet as kind, type ReplicaSet } from '../kinds/extensions/replica-set.ts';
import type { Controller } from './loop/controller.ts';
import { startReplicaSync, type ReplicaRule } from './replica-sync.ts';

const rule: ReplicaRule<ReplicaSet> = {
  kind,
  getReplicas: ({ spec }) => spec.replicas ?? 1,
  getSelector: ({ spec }) => spec.selector,
  getTemplate: ({ spec }) => spec.template,
  getStatus: ({ status }) => status,
  getMinReadySeconds: ({ spec }) => spec.minReadySeconds ?? 0,
  withStatus: (object, status) => ({ ...object, status: { ...object.status, ...status } }),
};

/** Keeps as many pods as each ReplicaSet asks for. */
export const replicaSets: Controller = {
  name: 'replicaset-controller',
  start: (context) => startReplicaSync(rule, context),
};
