import type { ObjectSchema, Schema } from '../schema.ts';
import { numbersOf, type MessageNumbers } from './message-numbers.ts';

/** What a number in a message stands for. */
export type PlannedField =
  | { readonly is: 'field'; readonly name: string; readonly schema: Schema }
  /** A message whose fields JSON shows as fields of the one around it. */
  | { readonly is: 'part'; readonly plan: MessagePlan }
  /** A field that the type does not have here. */
  | { readonly is: 'unknown'; readonly name: string };

/** How a message of a type is read: by number. */
export type MessagePlan = ReadonlyMap<number, PlannedField>;

/** Makes the plan of each type when it is first needed. */
export class MessagePlans {
  readonly #numbers: MessageNumbers;
  readonly #plans = new WeakMap<ObjectSchema, MessagePlan>();

  constructor(numbers: MessageNumbers) {
    this.#numbers = numbers;
  }

  of(schema: ObjectSchema): MessagePlan {
    const known = this.#plans.get(schema);
    if (known) return known;
    const plan = planOf(schema, this.#numbers);
    this.#plans.set(schema, plan);
    return plan;
  }
}

function planOf(schema: ObjectSchema, numbers: MessageNumbers): MessagePlan {
  const plan = new Map<number, PlannedField>();
  for (const [name, number] of Object.entries(numbersOf(numbers, schema.name))) {
    const field = planField(schema, name);
    if (typeof number === 'number') plan.set(number, field);
    else partOf(plan, number[0]).set(number[1], field);
  }
  return plan;
}

function planField(schema: ObjectSchema, name: string): PlannedField {
  const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  return field ? { is: 'field', name, schema: field.schema } : { is: 'unknown', name };
}

function partOf(plan: Map<number, PlannedField>, number: number): Map<number, PlannedField> {
  const known = plan.get(number);
  if (known?.is === 'part') return known.plan as Map<number, PlannedField>;
  const part = new Map<number, PlannedField>();
  plan.set(number, { is: 'part', plan: part });
  return part;
}
