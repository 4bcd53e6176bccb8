import type { ObjectSchema } from '../../schema/schema.ts';
import { apiVersionOf, type ScaleRule } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { autoscalingScale } from './autoscaling-scale.ts';
import { scale } from './scale.ts';

/** What all forms of a scale have in common. */
export interface AnyScale extends ApiObject {
  spec?: { replicas?: number };
}

type Selector = ReturnType<ScaleRule<ApiObject>['getSelector']>;

/** A form in which the number of pods of a workload is told and set through `/scale`. */
export interface ScaleForm<T extends AnyScale = AnyScale> {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly schema: ObjectSchema<T>;
  /** How the selector stands in status. */
  selectorFields(selector: Selector): object;
}

const extensions = { group: 'extensions', version: 'v1beta1' };
export const extensionsForm: ScaleForm = {
  ...extensions,
  apiVersion: apiVersionOf(extensions),
  schema: scale,
  selectorFields: ({ labels, text }) => ({ selector: labels, targetSelector: text }),
};

const autoscaling = { group: 'autoscaling', version: 'v1' };
export const autoscalingForm: ScaleForm = {
  ...autoscaling,
  apiVersion: apiVersionOf(autoscaling),
  schema: autoscalingScale,
  selectorFields: ({ text }) => ({ selector: text }),
};

/** The extensions group has a form of its own; everywhere else it is that of autoscaling/v1. */
export function scaleFormIn(group: string): ScaleForm {
  return group === 'extensions' ? extensionsForm : autoscalingForm;
}
