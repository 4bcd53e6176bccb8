import type { ScaleRule } from '../kind.ts';
import { selectorText, type LabelSelector } from '../meta/label-selector.ts';

interface Scalable {
  spec: { replicas?: number; selector?: LabelSelector };
  status?: { replicas?: number };
}

/** How workloads with a label selector are scaled. Labels alone are told only where they are the whole selector. */
export const scaleRule: ScaleRule<Scalable> = {
  getReplicas: ({ spec }) => spec.replicas ?? 1,
  setReplicas({ spec }, replicas) {
    spec.replicas = replicas;
  },
  getStatusReplicas: ({ status }) => status?.replicas ?? 0,
  getSelector({ spec: { selector } }) {
    const text = selectorText(selector);
    return selector?.matchExpressions?.length ? { text } : { text, labels: selector?.matchLabels };
  },
};
