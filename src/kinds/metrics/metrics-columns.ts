import { nameColumn, type Column } from '../column.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { cpuText, memoryText } from './usage-amounts.ts';

interface Measured extends ApiObject {
  readonly window: string;
}

type Usage = Readonly<Record<string, string>>;

/** The table of a kind that tells usage; `usagesOf` gives what is summed up for each object. */
export function metricsColumns<T extends Measured>(usagesOf: (object: T) => readonly Usage[]): readonly Column<T>[] {
  const amounts = (object: T, resource: string): string[] => usagesOf(object).map((usage) => usage[resource] ?? '0');
  return [
    nameColumn,
    { name: 'CPU', description: 'Processor time in use.', read: (object) => cpuText(amounts(object, 'cpu')) },
    { name: 'Memory', description: 'Memory in use.', read: (object) => memoryText(amounts(object, 'memory')) },
    { name: 'Window', description: 'Time over which it was measured.', read: ({ window }) => window },
  ];
}
