import type { Informer } from '../../client/informer.ts';
import type { Pod } from '../../kinds/core/pod.ts';

/** The pods that a node has been given. */
export function podsOnNode(pods: Informer<Pod>, node: string): readonly Pod[] {
  return pods.index(nodeNames).get(node);
}

/** The name of a pod's node, as an index takes it. */
function nodeNames({ spec }: Pod): readonly string[] {
  return spec.nodeName ? [spec.nodeName] : [];
}
