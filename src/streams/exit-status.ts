import type { Status } from '../kinds/meta/status.ts';

/** How a command ended, as clients expect to be told: a non-zero code is a failure with the code among its causes. */
export function exitStatus(code: number): Status {
  const base = { kind: 'Status', apiVersion: 'v1', metadata: {} };
  if (code === 0) return { ...base, status: 'Success' };
  return {
    ...base,
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `the command ended with exit code ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

/** A command that could not be run, or not to its end. */
export function failureStatus(message: string): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason: 'InternalError',
    message,
    code: 500,
  };
}
