import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import { parseQuantity } from '../../schema/quantity.ts';
import type { ApiObject } from '../meta/object-meta.ts';

/** Annotation of an autoscaler that names further metrics and the value each is to have. */
export const customMetricsAnnotation = 'alpha/target.custom-metrics.podautoscaler.kubernetes.io';

/** The annotation's text is JSON: `{"items": [{"name": "qps", "value": "10"}]}`. */
export interface CustomMetricTarget {
  readonly name: string;
  /** The target times 10^9; positive in what is stored. */
  readonly nanos: bigint;
}

/** Reports what is wrong with the metrics that the object's annotation asks for, if it has one. */
export function validateCustomMetrics(object: ApiObject, path: Path, errors: FieldErrors): void {
  const text = object.metadata.annotations?.[customMetricsAnnotation];
  if (text === undefined) return;
  const where = path.at('metadata').at('annotations');
  const targets = parseCustomMetrics(text);
  if (!targets) return errors.invalid(where, text, 'use {"items": [{"name": "METRIC", "value": "AMOUNT"}]}');
  if (targets.length === 0) errors.required(where, `${customMetricsAnnotation} names no metric`);
  for (const target of targets) {
    if (target.name === '') errors.required(where, `a metric in ${customMetricsAnnotation} has no name`);
    if (target.nanos <= 0n) errors.invalid(where, target.name, 'the value of a metric must be above 0');
  }
}

/** Gives nothing for text of any other form. As in the reference, null says as little as leaving something out. */
export function parseCustomMetrics(text: string): CustomMetricTarget[] | undefined {
  const items = itemsOf(text);
  if (!Array.isArray(items)) return undefined;
  const targets = items.map(parseTarget);
  return targets.every((target) => target !== undefined) ? targets : undefined;
}

function itemsOf(text: string): unknown {
  try {
    const list: unknown = JSON.parse(text) ?? {};
    if (typeof list !== 'object' || list === null || Array.isArray(list)) return undefined;
    return (list as { items?: unknown }).items ?? [];
  } catch {
    return undefined;
  }
}

function parseTarget(item: unknown): CustomMetricTarget | undefined {
  if (typeof item !== 'object' || Array.isArray(item)) return undefined;
  const target: { name?: unknown; value?: unknown } | null = item;
  const name = target?.name ?? '';
  const value = target?.value ?? '0';
  const quantity = parseQuantity(typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '');
  return typeof name === 'string' && quantity ? { name, nanos: quantity.nanos } : undefined;
}
