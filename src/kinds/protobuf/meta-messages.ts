import type { MessageNumbers } from '../../schema/protobuf/message-numbers.ts';

/** What is part of objects of every group. */
export const metaMessages: MessageNumbers = {
  ObjectMeta: {
    name: 1,
    generateName: 2,
    namespace: 3,
    selfLink: 4,
    uid: 5,
    resourceVersion: 6,
    generation: 7,
    creationTimestamp: 8,
    deletionTimestamp: 9,
    deletionGracePeriodSeconds: 10,
    labels: 11,
    annotations: 12,
    ownerReferences: 13,
    finalizers: 14,
    managedFields: 17,
  },
  OwnerReference: { kind: 1, name: 3, uid: 4, apiVersion: 5, controller: 6, blockOwnerDeletion: 7 },
  LabelSelector: { matchLabels: 1, matchExpressions: 2 },
  LabelSelectorRequirement: { key: 1, operator: 2, values: 3 },
  DeleteOptions: {
    gracePeriodSeconds: 1,
    preconditions: 2,
    orphanDependents: 3,
    propagationPolicy: 4,
    dryRun: 5,
    ignoreStoreReadErrorWithClusterBreakingPotential: 6,
  },
  Preconditions: { uid: 1, resourceVersion: 2 },
};
