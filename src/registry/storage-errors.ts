import { ApiError, expired, internalError, serviceUnavailable, tooLarge } from '../kinds/meta/api-error.ts';
import { StorageError } from '../storage/storage.ts';

/**
 * What a client is told when storage refuses: the one place where `StorageError` becomes `ApiError`. `Exists`, `NotFound` and `Conflict` mean different
 * things to different verbs, so those handle them first.
 */
export function translateStorageError(error: unknown): unknown {
  if (!(error instanceof StorageError) || error instanceof ApiError) return error;
  switch (error.code) {
    case 'Compacted':
      return expired('the revision asked for is too old and no longer held; list again without it');
    case 'FutureRevision':
      return expired('the revision asked for has not been reached yet');
    case 'TooLarge':
      return tooLarge('the object is larger than the storage takes');
    case 'Unavailable':
      return serviceUnavailable('storage cannot be written or read at the moment', 1);
    case 'Closed':
      return serviceUnavailable('the server is stopping', 1);
    default:
      return internalError('storage gave an answer that the server did not expect', { cause: error });
  }
}

export function isStorageError(error: unknown, code: StorageError['code']): boolean {
  return error instanceof StorageError && error.code === code;
}
