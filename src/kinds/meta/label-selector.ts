import { list, object, string, stringMap, strings, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { labelValue, qualifiedName } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { validateLabels } from './object-meta.ts';

const requirementFields = {
  key: string('Label that is looked at.').mandatory().always(''),
  operator: string('How its value is compared: In, NotIn, Exists or DoesNotExist.').mandatory().always(''),
  values: strings('Values for In and NotIn; absent for the other operators.'),
};
export interface LabelSelectorRequirement extends FieldsOf<typeof requirementFields> {}
const labelSelectorRequirement: ObjectSchema<LabelSelectorRequirement> = object(
  'v1beta1.LabelSelectorRequirement',
  'One condition on the labels of an object.',
  requirementFields,
  { validate: validateRequirement },
);

const labelSelectorFields = {
  matchLabels: stringMap('Labels that must be there with exactly these values.'),
  matchExpressions: list(labelSelectorRequirement, 'Further conditions; all must hold.'),
};
export interface LabelSelector extends FieldsOf<typeof labelSelectorFields> {}
/** A choice of objects by their labels. An empty selector chooses everything, an absent one nothing. */
export const labelSelector: ObjectSchema<LabelSelector> = object(
  'v1beta1.LabelSelector',
  'A choice of objects by their labels.',
  labelSelectorFields,
  { validate: validateMatchLabels },
);

function validateMatchLabels(selector: LabelSelector, path: Path, errors: FieldErrors): void {
  if (selector.matchLabels) validateLabels(selector.matchLabels, path.at('matchLabels'), errors);
}

function validateRequirement(requirement: LabelSelectorRequirement, path: Path, errors: FieldErrors): void {
  const { key, operator, values = [] } = requirement;
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.required(path.at('values'), `${operator} needs at least one value`);
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) errors.forbidden(path.at('values'), `${operator} takes no values`);
  } else {
    // The reference answers FieldValueInvalid here, not FieldValueNotSupported.
    errors.invalid(path.at('operator'), operator, 'use In, NotIn, Exists or DoesNotExist');
  }
  const wrong = qualifiedName.check(key);
  if (wrong) errors.invalid(path.at('key'), key, wrong);
}

/** Why a selector cannot be applied to labels, or nothing when it can. */
export function selectorMistake(selector: LabelSelector): string | undefined {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    const wrong = qualifiedName.check(key) ?? labelValue.check(value);
    if (wrong) return `label ${JSON.stringify(key)}: ${wrong}`;
  }
  for (const requirement of selector.matchExpressions ?? []) {
    const wrong = requirementMistake(requirement);
    if (wrong) return `expression on ${JSON.stringify(requirement.key)}: ${wrong}`;
  }
  return undefined;
}

function requirementMistake({ key, operator, values = [] }: LabelSelectorRequirement): string | undefined {
  const wrongKey = qualifiedName.check(key);
  if (wrongKey) return wrongKey;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) return `${operator} needs at least one value`;
      return values.map((value) => labelValue.check(value)).find((wrong) => wrong !== undefined);
    case 'Exists':
    case 'DoesNotExist':
      return values.length > 0 ? `${operator} takes no values` : undefined;
    default:
      return `${JSON.stringify(operator)} is no operator`;
  }
}

/** Whether the selector has no condition at all. */
export function isEmptySelector(selector: LabelSelector): boolean {
  return !selector.matchExpressions?.length && Object.keys(selector.matchLabels ?? {}).length === 0;
}

/** Whether an object with these labels is chosen. An absent selector chooses nothing. */
export function selectsLabels(selector: LabelSelector | undefined, labels: Record<string, string> = {}): boolean {
  if (!selector) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (!Object.hasOwn(labels, key) || labels[key] !== value) return false;
  }
  return (selector.matchExpressions ?? []).every((requirement) => requirementHolds(requirement, labels));
}

function requirementHolds(
  { key, operator, values = [] }: LabelSelectorRequirement,
  labels: Record<string, string>,
): boolean {
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
    default:
      return false;
  }
}

/** The selector in the form of a `labelSelector` query, conditions in order of their keys: `app=web,tier in (a,b)`. */
export function selectorText(selector: LabelSelector | undefined): string {
  const conditions = [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector?.matchExpressions ?? []).map((each) => ({ key: each.key, text: requirementText(each) })),
  ];
  conditions.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  return conditions.map(({ text }) => text).join(',');
}

function requirementText({ key, operator, values = [] }: LabelSelectorRequirement): string {
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return `${key} ${operator.toLowerCase()} (${values.toSorted().join(',')})`;
  }
}
