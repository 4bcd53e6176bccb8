import type { Endpoint, Operation } from './route.ts';

/** Leaves out what is undefined. */
export function endpoint(operations: Readonly<Record<string, Operation | undefined>>): Endpoint {
  const present = Object.entries(operations).filter((entry): entry is [string, Operation] => entry[1] !== undefined);
  return new Map(present);
}
