import { none, type Column } from '../column.ts';
import { selectorText, type LabelSelector } from '../meta/label-selector.ts';
import type { ApiObject } from '../meta/object-meta.ts';

interface Selecting extends ApiObject {
  readonly spec?: { readonly selector?: LabelSelector };
}

/** Which pods a workload counts as its own. */
export const selectorColumn: Column<Selecting> = {
  name: 'Selector',
  description: 'Which pods are its own.',
  wide: true,
  read: ({ spec }) => selectorText(spec?.selector) || none,
};
