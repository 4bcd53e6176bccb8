import type { Binding } from '../kinds/core/binding.ts';
import type { PodBinding } from './client.ts';

export function podBindingBody({ pod, uid, node, annotations }: PodBinding): Binding {
  return {
    kind: 'Binding',
    apiVersion: 'v1',
    metadata: { ...pod, uid, annotations: annotations && { ...annotations } },
    target: { kind: 'Node', name: node },
  };
}
