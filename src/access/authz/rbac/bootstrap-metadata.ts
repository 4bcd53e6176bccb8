import type { ObjectMeta } from '../../../kinds/meta/object-meta.ts';

/** Keeps what a start finds missing from being added again, when it says `false`. */
export const autoUpdateAnnotation = 'rbac.authorization.kubernetes.io/autoupdate';

/** How roles and bindings that every cluster has are told from those of its users. */
export function bootstrapMetadata(name: string, labels: Readonly<Record<string, string>> = {}): ObjectMeta {
  return {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { [autoUpdateAnnotation]: 'true' },
  };
}
