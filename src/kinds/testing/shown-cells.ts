import type { Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';

export type Cells = Record<string, string | number>;

/** What a table shows of an object, by column. */
export function shownCells<T extends ApiObject>(kind: Kind<T>, object: T, now = Date.UTC(2030, 0, 1, 1)): Cells {
  return Object.fromEntries(kind.columns.map((column) => [column.name, column.read(object, { now })]));
}
