import type { NamedField, Schema } from './schema.ts';

/** Whether a value of this type can be wrong at all, once it is decoded; most cannot. */
export function hasRules(schema: Schema): boolean {
  switch (schema.type) {
    case 'string':
      return schema.oneOf !== undefined || schema.format !== undefined;
    case 'integer':
      return schema.min !== undefined || schema.max !== undefined;
    case 'list':
      return hasRules(schema.item);
    case 'map':
      return hasRules(schema.value);
    case 'object':
      return schema.ruledFields.length > 0 || schema.validate !== undefined;
    default:
      return false;
  }
}

/** The fields that validation has to look at. */
export function ruledOf(fields: readonly NamedField[]): readonly NamedField[] {
  return fields.filter((field) => field.required || hasRules(field.schema));
}
