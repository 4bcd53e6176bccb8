import { pathSegment } from '../../schema/formats.ts';
import type { Format } from '../../schema/schema.ts';

const longest = 253;

/** The name of a role or binding: nearly anything that can stand in a path, such as `system:node`. */
export const rbacName: Format = {
  name: 'rbac-name',
  check(value) {
    if (value.length > longest) return `must have at most ${longest} characters`;
    if (/[\p{Cc}\p{Surrogate}]/u.test(value)) return 'must not contain control characters or broken text';
    return pathSegment.check(value);
  },
};
