import { unavailable } from '../errors.ts';
import type { Database, ReadTransaction } from './database.ts';

/** What the database knows of itself, written with every commit. */
export interface State {
  readonly revision: number;
  /** The newest revision that is forgotten. */
  readonly compacted: number;
  /** History records up to this one are deleted; those from here to `compacted` are forgotten, but still take up space. */
  readonly trimmed: number;
  /** The size of all history records together. */
  readonly historyBytes: number;
}

export const emptyState: State = { revision: 0, compacted: 0, trimmed: 0, historyBytes: 0 };

const stateKey = 'state';
const format = 1;

export function putState(database: Database, state: State): void {
  void database.meta.put(stateKey, Buffer.from(JSON.stringify({ format, ...state })));
}

/** Fails with `Unavailable` when the directory holds something else, such as what a later release wrote. */
export function readState(database: Database, transaction: ReadTransaction): State {
  const found = database.meta.getEntry(stateKey, { transaction });
  if (!found) return emptyState;
  const text = Buffer.from(found.value.subarray(0, found.value.length)).toString();
  const stored: unknown = JSON.parse(text);
  if (isState(stored)) return stored;
  throw unavailable(`the database has a format that this release cannot read: ${text}`, undefined);
}

function isState(stored: unknown): stored is State {
  if (typeof stored !== 'object' || stored === null) return false;
  const fields: Record<string, unknown> = { ...stored };
  return fields['format'] === format && Object.keys(emptyState).every((name) => Number.isSafeInteger(fields[name]));
}
