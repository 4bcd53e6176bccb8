import type { FieldErrors } from '../../schema/field-errors.ts';
import { dataKey } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';

/** All values of a config map or secret together, in bytes. */
const largestData = 1024 * 1024;

/** Checks every key, and that the values together are not too large; `sizeOf` says how many bytes a value stands for. */
export function validateData(
  data: Record<string, string>,
  sizeOf: (value: string) => number,
  path: Path,
  errors: FieldErrors,
): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    const wrong = dataKey.check(key);
    if (wrong) errors.invalid(path.key(key), key, wrong);
    bytes += sizeOf(value);
  }
  if (bytes > largestData) errors.tooLong(path, largestData, 'bytes');
}
