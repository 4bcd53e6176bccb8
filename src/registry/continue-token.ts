import { badRequest } from '../kinds/meta/api-error.ts';

/** Where a list that is read in parts goes on: behind this key, as of this revision. */
export interface ListPosition {
  readonly revision: number;
  readonly after: string;
}

export function continueToken(position: ListPosition): string {
  return Buffer.from(JSON.stringify([position.revision, position.after])).toString('base64url');
}

export function parseContinueToken(token: string): ListPosition {
  try {
    const [revision, after] = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as unknown[];
    if (isRevision(revision) && typeof after === 'string') return { revision, after };
  } catch {
    // Not JSON: refused below like any other token that is not ours.
  }
  throw badRequest('the continue token was not given out by this server');
}

function isRevision(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
