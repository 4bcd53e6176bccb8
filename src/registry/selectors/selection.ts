import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { FieldSelector, parseFieldSelector, type SelectableFields, type SelectableKind } from './field-selector.ts';
import type { Labels } from './label-requirement.ts';
import { LabelSelector, parseLabelSelector } from './label-selector.ts';

/** What a selection looks at. */
export interface Selectable {
  readonly labels: Labels | undefined;
  readonly fields: SelectableFields;
}

/** Which objects of a kind a request is about: by labels, by fields, or all of them. */
export class Selection {
  static readonly everything = new Selection(LabelSelector.everything, FieldSelector.everything);

  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly isEverything: boolean;
  /** The only name that can match, where there is one: the list is then a get of that name, which still has to match. */
  readonly name: string | undefined;
  /** The only namespace that can match, where there is one. */
  readonly namespace: string | undefined;

  constructor(labels: LabelSelector, fields: FieldSelector) {
    this.labels = labels;
    this.fields = fields;
    this.isEverything = labels.isEverything && fields.isEverything;
    this.name = fields.exact.get('metadata.name');
    this.namespace = fields.exact.get('metadata.namespace');
  }

  matches({ labels, fields }: Selectable): boolean {
    return this.labels.matches(labels) && this.fields.matches(fields);
  }

  /** As `matches`, for an object of the kind that the selection was made for. */
  matchesObject(object: ApiObject): boolean {
    return this.labels.matches(object.metadata.labels) && this.fields.matchesObject(object);
  }
}

/** The selectors of a request, as its query gives them. */
export interface SelectorTexts {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Refuses with 400 what cannot be read. Absent and empty selectors select everything. */
export function parseSelection(
  { labelSelector = '', fieldSelector = '' }: SelectorTexts,
  kind: SelectableKind,
): Selection {
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector, kind);
  return labels.isEverything && fields.isEverything ? Selection.everything : new Selection(labels, fields);
}
