import { isApiError } from '../kinds/meta/api-error.ts';

/** The result of a request, or nothing when what it is about is not there (404). */
export async function ifThere<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isApiError(error, 404)) return undefined;
    throw error;
  }
}
