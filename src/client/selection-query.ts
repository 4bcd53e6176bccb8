import { selectorText } from '../kinds/meta/label-selector.ts';
import type { SelectionOptions } from './client.ts';

/** Selectors in the form in which requests carry them; absent where nothing is excluded. */
export interface SelectionQuery {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export function selectionQuery({ labels, fields }: SelectionOptions): SelectionQuery {
  const labelSelector = typeof labels === 'string' ? labels : selectorText(labels);
  const fieldSelector = typeof fields === 'string' ? fields : fieldsText(fields ?? {});
  return { labelSelector: labelSelector || undefined, fieldSelector: fieldSelector || undefined };
}

function fieldsText(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([field, value]) => `${field}=${value.replaceAll(/[\\,=]/g, String.raw`\$&`)}`)
    .join(',');
}
