import { FieldErrors } from '../field-errors.ts';
import { hasRules } from '../has-rules.ts';
import { Path } from '../path.ts';
import type { NamedField, ObjectSchema, Schema } from '../schema.ts';
import { FunctionSource } from './function-source.ts';
import { OftenUsed } from './often-used.ts';

/** Whether all is well with a value. What types find by rules of their own may also be noted in `errors`, under any path. */
type StraightValidator = (value: unknown, errors: FieldErrors) => boolean;

/**
 * Validators that only tell whether an object keeps all rules, as nearly all do. They are written out field by field; what is wrong, and where, is for
 * `validate` to find out.
 */
const validators = new OftenUsed<ObjectSchema, StraightValidator>(sharedValidator);

/** True where it is sure that `validate` would find nothing. */
export function isSurelyValid(schema: ObjectSchema, value: object): boolean {
  const validator = validators.of(schema);
  if (!validator) return false;
  const errors = new FieldErrors();
  return validator(value, errors) && !errors.any;
}

function objectValidator(schema: ObjectSchema): StraightValidator {
  const source = new FunctionSource();
  source.add('let field;');
  for (const field of schema.ruledFields) addField(source, field);
  if (schema.validate) {
    const check = (value: object, errors: FieldErrors): void => schema.validate!(value, Path.root, errors);
    source.add(`${source.nameOf(check)}(value, errors);`);
  }
  source.add('return true;');
  return source.build(['value', 'errors']) as StraightValidator;
}

function addField(source: FunctionSource, { name, schema, required }: NamedField): void {
  source.add(`field = value[${JSON.stringify(name)}];`);
  const check = hasRules(schema) ? `if (!${source.nameOf(valueValidator(schema))}(field, errors)) return false;` : '';
  source.add(`if (field !== undefined) { ${check} }`);
  if (required) source.add('else return false;');
}

function valueValidator(schema: Schema): StraightValidator {
  switch (schema.type) {
    case 'string': {
      const { oneOf, format } = schema;
      const isFormatted = (text: string): boolean => format?.check(text) === undefined;
      if (!oneOf) return (value) => isFormatted(value as string);
      return (value) => oneOf.includes(value as string) && isFormatted(value as string);
    }
    case 'integer': {
      const { min = -Infinity, max = Infinity } = schema;
      return (value) => (value as number) >= min && (value as number) <= max;
    }
    case 'list': {
      const isItem = valueValidator(schema.item);
      return (value, errors) => (value as readonly unknown[]).every((item) => isItem(item, errors));
    }
    case 'map': {
      const isValue = valueValidator(schema.value);
      return (value, errors) => Object.values(value as object).every((each) => isValue(each, errors));
    }
    case 'object':
      return laterValidator(schema);
    default:
      return () => true;
  }
}

const shared = new WeakMap<ObjectSchema, StraightValidator>();

/** Made when the first value comes: types can be parts of themselves, and of many others. */
function laterValidator(schema: ObjectSchema): StraightValidator {
  let validator: StraightValidator | undefined;
  return (value, errors) => (validator ??= sharedValidator(schema))(value, errors);
}

function sharedValidator(schema: ObjectSchema): StraightValidator {
  let validator = shared.get(schema);
  if (!validator) shared.set(schema, (validator = objectValidator(schema)));
  return validator;
}
