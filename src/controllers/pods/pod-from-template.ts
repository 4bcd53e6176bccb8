import type { PodTemplateSpec } from '../../kinds/core/pod-template-spec.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { apiVersionOf, type Kind } from '../../kinds/kind.ts';
import { controllerReference } from '../../kinds/meta/controller-reference.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

/** Tools of the reference's time find a pod's controller through this annotation, not through owner references. */
const createdBy = 'kubernetes.io/created-by';

export interface PodOwner {
  readonly kind: Kind;
  readonly object: ApiObject;
}

/** A pod to create for a controller: labels, annotations and spec of the template, a name that begins with the controller's. Shares parts with the template. */
export function podFromTemplate(template: PodTemplateSpec, { kind, object: owner }: PodOwner): Pod {
  const { labels, annotations, finalizers } = template.metadata;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace,
      labels: { ...labels },
      annotations: { ...annotations, [createdBy]: serializedReference(kind, owner) },
      finalizers,
      ownerReferences: [controllerReference(kind, owner)],
    },
    spec: template.spec,
    status: {},
  };
}

function serializedReference(kind: Kind, { metadata }: ApiObject): string {
  const { namespace, name, uid, resourceVersion } = metadata;
  const reference = { kind: kind.kind, namespace, name, uid, apiVersion: apiVersionOf(kind), resourceVersion };
  return JSON.stringify({ kind: 'SerializedReference', apiVersion: 'v1', reference });
}
