import { badRequest } from '../../kinds/meta/api-error.ts';

/** Whether one of several names stands in a query as true. */
export function isSet(query: URLSearchParams, ...names: string[]): boolean {
  return names.some((name) => query.get(name) === 'true' || query.get(name) === '1');
}

/** A whole number of at least `least`; nothing when it is not given. */
export function wholeNumber(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < least) {
    throw badRequest(`${name} is ${JSON.stringify(text)}, but must be a whole number of at least ${least}`);
  }
  return number;
}
