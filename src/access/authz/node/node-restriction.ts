import { node as nodeKind } from '../../../kinds/core/node.ts';
import { pod as podKind, type Pod } from '../../../kinds/core/pod.ts';
import type { Kind } from '../../../kinds/kind.ts';
import type { AdmissionPlugin, Attempt } from '../../../registry/admission.ts';
import { refusal } from '../../admission/refusal.ts';
import { nodeNameOf } from './node-name.ts';
import { isMirror, referencesOf } from './pod-references.ts';

/** What only shows in the objects themselves: the agent of a node writes its own node and pods, and makes no pod that would give it something. */
export function nodeRestriction(): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    kinds: [nodeKind, podKind] as readonly Kind[],
    reserve(attempt) {
      const node = nodeNameOf(attempt.user);
      if (!node) return undefined;
      if (attempt.kind === nodeKind) checkNode(attempt, node);
      if (attempt.kind === podKind) checkPod(attempt, node);
      return undefined;
    },
  };
}

function checkNode(attempt: Attempt, node: string): void {
  const name = (attempt.object ?? attempt.old)?.metadata.name;
  if (name !== node) throw refusal(attempt, `the agent of node "${node}" may write only that node`);
}

function checkPod(attempt: Attempt, node: string): void {
  const pod = (attempt.old ?? attempt.object) as Pod;
  if (pod.spec.nodeName !== node) throw refusal(attempt, `the pod is not on node "${node}"`);
  if (attempt.operation !== 'create') return;
  if (!isMirror(pod)) throw refusal(attempt, 'the agent of a node may make only mirror pods');
  const [reference] = referencesOf(pod);
  if (reference !== undefined) throw refusal(attempt, `a mirror pod may not use ${reference}`);
}
