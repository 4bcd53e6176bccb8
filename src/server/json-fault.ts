import { maxJsonDepth } from './json.ts';

/** What makes a text unacceptable as JSON, and where it stands. Lines and columns count from 1. */
export interface JsonFault {
  readonly what: string;
  readonly line: number;
  readonly column: number;
  /** Path of the field, such as `spec.containers[0]`; empty at the top. */
  readonly field: string;
}

/** The first fault of a text; undefined when there is none. */
export function findJsonFault(text: string): JsonFault | undefined {
  return text.length > maxJsonDepth ? undefined : undefined;
}
