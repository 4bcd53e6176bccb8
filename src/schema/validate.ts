import { FieldErrors } from './field-errors.ts';
import { hasRules } from './has-rules.ts';
import { Path } from './path.ts';
import { isSurelyValid } from './straight/straight-validator.ts';
import type { ListSchema, MapSchema, ObjectSchema, Schema, StringSchema } from './schema.ts';

/** Reports what is wrong with a decoded object: mandatory fields, closed lists, formats, bounds, and the types' own rules. */
export function validate<T>(
  schema: ObjectSchema<T>,
  value: T,
  path = Path.root,
  errors = new FieldErrors(),
): FieldErrors {
  if (!isSurelyValid(schema as ObjectSchema, value as object)) {
    validateObject(schema as ObjectSchema, value as Record<string, unknown>, path, errors);
  }
  return errors;
}

/** The same without the short cut for what is all right. */
export function validateWithCare<T>(schema: ObjectSchema<T>, value: T): FieldErrors {
  const errors = new FieldErrors();
  validateObject(schema as ObjectSchema, value as Record<string, unknown>, Path.root, errors);
  return errors;
}

function validateObject(schema: ObjectSchema, value: Record<string, unknown>, path: Path, errors: FieldErrors): void {
  for (const field of schema.ruledFields) {
    const fieldValue = value[field.name];
    if (fieldValue !== undefined) validateValue(field.schema, fieldValue, path.at(field.name), errors);
    else if (field.required) errors.required(path.at(field.name));
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
      return validateItems(schema, value as unknown[], path, errors);
    case 'map':
      return validateEntries(schema, value as Record<string, unknown>, path, errors);
    case 'object':
      return validateObject(schema, value as Record<string, unknown>, path, errors);
    default:
  }
}

function validateItems(schema: ListSchema, items: readonly unknown[], path: Path, errors: FieldErrors): void {
  if (!hasRules(schema.item)) return;
  for (let i = 0; i < items.length; i++) validateValue(schema.item, items[i], path.index(i), errors);
}

function validateEntries(schema: MapSchema, entries: Record<string, unknown>, path: Path, errors: FieldErrors): void {
  if (!hasRules(schema.value)) return;
  for (const key of Object.keys(entries)) validateValue(schema.value, entries[key], path.key(key), errors);
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
