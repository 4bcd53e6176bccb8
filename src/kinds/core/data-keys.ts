import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Format } from '../../schema/schema.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';

/** All values of a config map or secret together, in bytes. */
export const largestData = 1024 * 1024;

const longestKey = 253;

/** A key of a config map or secret: it becomes a file name, which may begin with one dot. */
export const dataKey: Format = {
  name: 'data-key',
  check(value) {
    if (value.length > longestKey) return `must have at most ${longestKey} characters`;
    const wrong = dnsSubdomain.check(value.replace(/^\./, ''));
    return wrong && `${wrong}; a "." may stand before it`;
  },
};

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
