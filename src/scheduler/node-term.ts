import type { NodeSelectorRequirement, NodeSelectorTerm } from '../kinds/core/pod/affinity-annotation.ts';

type Labels = Readonly<Record<string, string>>;

/** Whether a node with these labels is among those that the term chooses. As in the reference a term without conditions chooses none. */
export function choosesNode({ matchExpressions }: Partial<NodeSelectorTerm>, labels: Labels): boolean {
  if (!matchExpressions?.length) return false;
  return matchExpressions.every((requirement) => holds(requirement, labels));
}

function holds({ key, operator, values = [] }: NodeSelectorRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return wholeNumber(value) > wholeNumber(values[0]);
    case 'Lt':
      return wholeNumber(value) < wholeNumber(values[0]);
    default:
      return false;
  }
}

/** Not a number where the text is none, so that every comparison with it fails. */
function wholeNumber(text: string | undefined): number {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
}
