import { shortDuration } from '../base/short-duration.ts';
import type { ApiObject } from './meta/object-meta.ts';

/** What a cell may depend on besides the object. */
export interface ColumnContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** One column of the table in which clients such as `kubectl get` show the objects of a kind. */
export interface Column<T extends ApiObject = ApiObject> {
  readonly name: string;
  readonly description: string;
  /** Text unless given. */
  readonly type?: 'string' | 'integer';
  /** Marks the column that identifies the object. */
  readonly format?: 'name';
  /** Shown only to those who ask for more (`-o wide`). */
  readonly wide?: boolean;
  /** The cell of an object in its stored version. A method, so that a kind of its own type still counts as a kind of any. */
  read(object: T, context: ColumnContext): string | number;
}

export const nameColumn: Column = {
  name: 'Name',
  description: 'Name of the object, unique for its kind and namespace.',
  format: 'name',
  read: ({ metadata }) => metadata.name ?? '',
};

export const ageColumn: Column = {
  name: 'Age',
  description: 'Time since the object was created.',
  read: ({ metadata }, { now }) => age(metadata.creationTimestamp, now),
};

export const createdAtColumn: Column = {
  name: 'Created At',
  description: 'When the object was created.',
  read: ({ metadata }) => metadata.creationTimestamp ?? unknown,
};

/** Stands in cells where something could be but is not. */
export const none = '<none>';
/** Stands in cells for what is not known yet. */
export const unknown = '<unknown>';

/** How long ago a moment was, in few characters. */
export function age(time: string | undefined, now: number): string {
  return time ? shortDuration(now - Date.parse(time)) : unknown;
}

/** Values with commas between them, or `<none>`. */
export function listed(values: readonly string[]): string {
  return values.join(',') || none;
}

/** A selector or other map as `key=value` pairs, in order of keys. */
export function pairs(map: Readonly<Record<string, string>> | undefined): string {
  const sorted = Object.entries(map ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  return listed(sorted.map(([key, value]) => `${key}=${value}`));
}
