import { integer, list, object, one, string, strings, type FieldsOf } from '../../../schema/builders.ts';
import { decode } from '../../../schema/decode.ts';
import type { FieldErrors } from '../../../schema/field-errors.ts';
import { qualifiedName } from '../../../schema/formats.ts';
import type { Path } from '../../../schema/path.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';
import { validate } from '../../../schema/validate.ts';

/** In the reference affinity is not yet a field but JSON under this key. */
export const affinityAnnotation = 'scheduler.alpha.kubernetes.io/affinity';

const requirementFields = {
  key: string('Label of the node that is looked at.', qualifiedName).mandatory().always(''),
  operator: string('In, NotIn, Exists, DoesNotExist, Gt or Lt.').mandatory().always(''),
  values: strings('Values that the operator compares with.'),
};
export interface NodeSelectorRequirement extends FieldsOf<typeof requirementFields> {}
const nodeSelectorRequirement: ObjectSchema<NodeSelectorRequirement> = object(
  'v1.NodeSelectorRequirement',
  'What a label of the node must be.',
  requirementFields,
  { validate: validateRequirement },
);

const termFields = {
  matchExpressions: list(nodeSelectorRequirement, 'All of these must hold.').mandatory(),
};
export interface NodeSelectorTerm extends FieldsOf<typeof termFields> {}
const nodeSelectorTerm: ObjectSchema<NodeSelectorTerm> = object(
  'v1.NodeSelectorTerm',
  'A choice of nodes.',
  termFields,
);

const selectorFields = {
  nodeSelectorTerms: list(nodeSelectorTerm, 'One of these must hold.').mandatory(),
};
export interface NodeSelector extends FieldsOf<typeof selectorFields> {}
const nodeSelector: ObjectSchema<NodeSelector> = object('v1.NodeSelector', 'A choice of nodes.', selectorFields);

const preferredTermFields = {
  weight: integer('How much this choice counts.', { min: 1, max: 100 }).mandatory().always(0),
  preference: one(nodeSelectorTerm, 'The nodes that are preferred.')
    .mandatory()
    .defaultsTo({} as NodeSelectorTerm),
};
export interface PreferredSchedulingTerm extends FieldsOf<typeof preferredTermFields> {}
const preferredSchedulingTerm: ObjectSchema<PreferredSchedulingTerm> = object(
  'v1.PreferredSchedulingTerm',
  'Nodes that are preferred, and how much.',
  preferredTermFields,
);

const nodeAffinityFields = {
  requiredDuringSchedulingIgnoredDuringExecution: one(nodeSelector, 'Nodes that the pod can be put on.'),
  preferredDuringSchedulingIgnoredDuringExecution: list(preferredSchedulingTerm, 'Nodes that are preferred.'),
};
export interface NodeAffinity extends FieldsOf<typeof nodeAffinityFields> {}
const nodeAffinity: ObjectSchema<NodeAffinity> = object(
  'v1.NodeAffinity',
  'Which nodes suit a pod.',
  nodeAffinityFields,
);

const affinityFields = {
  nodeAffinity: one(nodeAffinity, 'Which nodes suit the pod.'),
};
export interface Affinity extends FieldsOf<typeof affinityFields> {}
const affinity: ObjectSchema<Affinity> = object('v1.Affinity', 'Where a pod likes to run.', affinityFields);

/** What a pod's annotations say about where it likes to run; nothing when they say nothing that can be read. A null says nothing, and can be read. */
export function affinityOf(annotations: Record<string, string> | undefined): Affinity | undefined {
  const text = annotations?.[affinityAnnotation];
  if (!text) return undefined;
  try {
    const { value, mistakes } = decode(affinity, (JSON.parse(text) as unknown) ?? {});
    return mistakes.length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Rules for the affinity among a pod's annotations; `path` is that of the annotations. */
export function validateAffinity(annotations: Record<string, string>, path: Path, errors: FieldErrors): void {
  if (!annotations[affinityAnnotation]) return;
  const wanted = affinityOf(annotations);
  // As in the reference, places in the JSON are named as if they stood among the annotations.
  if (wanted?.nodeAffinity) validate(nodeAffinity, wanted.nodeAffinity, path, errors);
  if (!wanted) errors.invalid(path, affinityAnnotation, 'is not the JSON of an affinity');
}

function validateRequirement(
  { operator, values = [] }: NodeSelectorRequirement,
  path: Path,
  errors: FieldErrors,
): void {
  const place = path.at('values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.required(place, `${operator} needs at least one value`);
      return;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) errors.forbidden(place, `${operator} takes no values`);
      return;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) errors.required(place, `${operator} needs exactly one value`);
      return;
    default:
      errors.invalid(path.at('operator'), operator, 'must be In, NotIn, Exists, DoesNotExist, Gt or Lt');
  }
}
