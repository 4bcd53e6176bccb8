import { StorageError } from './storage.ts';

export function exists(key: string): StorageError {
  return new StorageError('Exists', `the key ${key} exists`);
}

export function notFound(key: string): StorageError {
  return new StorageError('NotFound', `the key ${key} does not exist`);
}

export function conflict(key: string, expected: number, actual: number): StorageError {
  return new StorageError('Conflict', `the key ${key} is at revision ${actual}, not at ${expected}`);
}

export function tooLarge(message: string, cause: unknown): StorageError {
  return new StorageError('TooLarge', message, { cause });
}

export function compacted(revision: number, compactedRevision: number): StorageError {
  return new StorageError('Compacted', `revision ${revision} is forgotten: history begins after ${compactedRevision}`);
}

export function futureRevision(revision: number, newest: number): StorageError {
  return new StorageError('FutureRevision', `revision ${revision} is not there yet: the newest is ${newest}`);
}

export function closed(): StorageError {
  return new StorageError('Closed', 'the storage is closed');
}

export function unavailable(message: string, cause: unknown): StorageError {
  return new StorageError('Unavailable', message, { cause });
}
