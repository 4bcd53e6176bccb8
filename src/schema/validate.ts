import { FieldErrors } from './field-errors.ts';
import { Path } from './path.ts';
import type { ObjectSchema, Schema, StringSchema } from './schema.ts';

/** Reports what is wrong with a decoded object: mandatory fields, closed lists, formats, bounds, and the types' own rules. */
export function validate<T>(
  schema: ObjectSchema<T>,
  value: T,
  path = Path.root,
  errors = new FieldErrors(),
): FieldErrors {
  validateObject(schema as ObjectSchema, value as Record<string, unknown>, path, errors);
  return errors;
}

function validateObject(schema: ObjectSchema, value: Record<string, unknown>, path: Path, errors: FieldErrors): void {
  for (const field of schema.fieldList) {
    const fieldValue = value[field.name];
    if (fieldValue !== undefined) {
      if (hasRules(field.schema)) validateValue(field.schema, fieldValue, path.at(field.name), errors);
    } else if (field.required) {
      errors.required(path.at(field.name));
    }
  }
  schema.validate?.(value, path, errors);
}

function validateValue(schema: Schema, value: unknown, path: Path, errors: FieldErrors): void {
  switch (schema.type) {
    case 'string':
      return validateString(schema, value as string, path, errors);
    case 'integer':
      return validateBounds(schema, value as number, path, errors);
    case 'list':
      if (!hasRules(schema.item)) return;
      (value as unknown[]).forEach((item, i) => validateValue(schema.item, item, path.index(i), errors));
      return;
    case 'map':
      if (!hasRules(schema.value)) return;
      for (const [key, each] of Object.entries(value as object)) {
        validateValue(schema.value, each, path.key(key), errors);
      }
      return;
    case 'object':
      return validateObject(schema, value as Record<string, unknown>, path, errors);
    default:
  }
}

function validateString(schema: StringSchema, value: string, path: Path, errors: FieldErrors): void {
  if (schema.oneOf && !schema.oneOf.includes(value)) errors.notSupported(path, value, schema.oneOf);
  const wrong = schema.format?.check(value);
  if (wrong !== undefined) errors.invalid(path, value, wrong);
}

function validateBounds(schema: { min?: number; max?: number }, value: number, path: Path, errors: FieldErrors): void {
  const { min = -Infinity, max = Infinity } = schema;
  if (value >= min && value <= max) return;
  if (max === Infinity) errors.invalid(path, value, min === 0 ? 'must not be negative' : `must be at least ${min}`);
  else errors.invalid(path, value, `must be between ${min} and ${max}`);
}

/** Whether a value of this type can be wrong at all; most leaves cannot. */
function hasRules(schema: Schema): boolean {
  switch (schema.type) {
    case 'string':
      return schema.oneOf !== undefined || schema.format !== undefined;
    case 'integer':
      return schema.min !== undefined || schema.max !== undefined;
    case 'list':
      return hasRules(schema.item);
    case 'map':
      return hasRules(schema.value);
    default:
      return schema.type === 'object';
  }
}
