import type { Deployment } from '../../kinds/extensions/deployment.ts';
import { deployment as deploymentKind } from '../../kinds/extensions/deployment.ts';
import type { ReplicaSet } from '../../kinds/extensions/replica-set.ts';
import { controllerReference } from '../../kinds/meta/controller-reference.ts';
import { hashTemplate, templateHashLabel, withoutTemplateHash } from '../pods/template-hash.ts';

export interface NewReplicaSetOptions {
  readonly replicas: number;
  readonly annotations: Record<string, string>;
  /** Above 0 when the name of the attempt before was taken by another replica set. */
  readonly attempt: number;
}

/** A replica set to create for the present template of a deployment. Its pods are told from those of other sets by a label. */
export function newReplicaSet(owner: Deployment, { replicas, annotations, attempt }: NewReplicaSetOptions): ReplicaSet {
  const template = withoutTemplateHash(owner.spec.template);
  const hash = hashTemplate(template, attempt);
  const labels = { ...template.metadata.labels, [templateHashLabel]: hash };
  const { name, namespace } = owner.metadata;
  const { selector, minReadySeconds } = owner.spec;
  return {
    kind: 'ReplicaSet',
    apiVersion: 'extensions/v1beta1',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations,
      ownerReferences: [controllerReference(deploymentKind, owner)],
    },
    spec: {
      replicas,
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [templateHashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
