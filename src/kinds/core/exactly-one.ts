import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';

/**
 * For types of which exactly one of several fields says what they are, such as volumes: none is a missing value, and each one
 * after the first is forbidden, whatever else is wrong with it. The order of `names` decides which is first.
 */
export function validateExactlyOne<T extends object>(
  value: T,
  names: readonly (keyof T & string)[],
  path: Path,
  errors: FieldErrors,
): void {
  const given = names.filter((name) => value[name] !== undefined);
  if (given.length === 0) errors.required(path, `one of these is required: ${names.join(', ')}`);
  for (const name of given.slice(1)) {
    errors.forgetUnder(path.at(name));
    errors.forbidden(path.at(name), `cannot stand beside ${given[0]}`);
  }
}
