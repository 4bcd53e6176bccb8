import type { Status } from '../kinds/meta/status.ts';

/** The answer to what succeeded and has no object to show. */
export function success(): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 };
}
