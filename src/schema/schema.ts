import type { FieldErrors } from './field-errors.ts';
import type { Path } from './path.ts';

/** A rule that a string must keep. `check` says what is wrong, or nothing when all is well. */
export interface Format {
  readonly name: string;
  check(value: string): string | undefined;
}

export interface StringSchema {
  readonly type: 'string';
  readonly oneOf?: readonly string[];
  readonly format?: Format;
}
export interface IntegerSchema {
  readonly type: 'integer';
  readonly bits: 32 | 64;
  readonly min?: number;
  readonly max?: number;
}
export interface BooleanSchema {
  readonly type: 'boolean';
}
/** An amount such as `250m` or `1Gi`; kept in canonical form. */
export interface QuantitySchema {
  readonly type: 'quantity';
}
/** A moment in RFC 3339; kept in UTC with whole seconds. */
export interface TimeSchema {
  readonly type: 'time';
}
export interface IntOrStringSchema {
  readonly type: 'intOrString';
}
/** Bytes in base64. */
export interface BytesSchema {
  readonly type: 'bytes';
}
/** Any JSON value, kept as it came. */
export interface AnySchema {
  readonly type: 'any';
}
export interface ListSchema {
  readonly type: 'list';
  readonly item: Schema;
}
export interface MapSchema {
  readonly type: 'map';
  readonly value: Schema;
}

/** What an object type adds to what its fields say. */
export interface ObjectHooks<T> {
  /** Fills in what depends on other fields; runs after the fields' own defaults, innermost objects first. Twice changes nothing more. */
  complete?(value: T): void;
  /** Reports what is wrong beyond what the fields themselves say. */
  validate?(value: T, path: Path, errors: FieldErrors): void;
}

/** A named object type. Plain data but for its hooks. */
export interface ObjectSchema<T = object> extends ObjectHooks<T> {
  readonly type: 'object';
  /** As OpenAPI definitions name it, e.g. `v1.PodSpec`. */
  readonly name: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** The same fields in order, for loops on hot paths. */
  readonly fieldList: readonly NamedField[];
  /** Those of them that validation has to look at: they are required, or a value can be wrong beyond its type. */
  readonly ruledFields: readonly NamedField[];
  /** Where in the list the last field with a default stands; -1 when none has one. */
  readonly lastDefault: number;
}

export type Schema =
  | StringSchema
  | IntegerSchema
  | BooleanSchema
  | QuantitySchema
  | TimeSchema
  | IntOrStringSchema
  | BytesSchema
  | AnySchema
  | ListSchema
  | MapSchema
  | ObjectSchema;

/** How strategic merge treats a list: items with the same key are one item. */
export interface MergeRule {
  readonly key: string;
}

/** One field of an object type: its type, and what is special about it there. */
export interface Field {
  readonly schema: Schema;
  readonly description: string;
  /** Absent or empty is a mistake (422). */
  readonly required: boolean;
  /** Taken when the field is absent. */
  readonly default?: unknown;
  /** An explicit "", 0, false or [] is kept; otherwise it counts as absent, as in the reference. */
  readonly keepsZero: boolean;
  readonly merge?: MergeRule;
}

export interface NamedField extends Field {
  readonly name: string;
}
