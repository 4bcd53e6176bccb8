import { badRequest } from '../../kinds/meta/api-error.ts';

/** True when the parameter is there and neither `false` nor `0`: also when it is empty, as the reference has it. */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

const integerShape = /^[+-]?\d+$/;

/** A whole number; absent when the parameter is, 400 when it is anything else. */
export function integer(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const number = integerShape.test(value) ? Number(value) : NaN;
  if (!Number.isSafeInteger(number)) throw badRequest(`${name} must be a whole number, not ${JSON.stringify(value)}`);
  return number;
}

/** One of the words given, or the first of them when the parameter is absent or empty. */
export function word<const T extends string>(query: URLSearchParams, name: string, words: readonly [T, ...T[]]): T {
  const value = query.get(name);
  if (!value) return words[0];
  const known = words.find((candidate) => candidate === value);
  if (known === undefined) throw badRequest(`${name} must be one of ${words.join(', ')}, not ${JSON.stringify(value)}`);
  return known;
}
