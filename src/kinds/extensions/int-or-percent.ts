import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';

const percentShape = /^(\d+)%$/;

/** The percentage that a text such as `25%` stands for; nothing for numbers and any other text. */
export function percentOf(value: number | string): number | undefined {
  const match = typeof value === 'string' ? percentShape.exec(value) : undefined;
  return match ? Number(match[1]) : undefined;
}

/** A count, or a percentage as text. */
export function validateIntOrPercent(value: number | string, path: Path, errors: FieldErrors): void {
  if (typeof value === 'number') {
    if (value < 0) errors.invalid(path, value, 'must not be negative');
  } else if (percentOf(value) === undefined) {
    errors.invalid(path, value, 'use a number, or a percentage such as "25%"');
  }
}

/** Whether this is nothing of anything. Text that is no percentage counts as the number it spells, or as 0. */
export function isNone(value: number | string): boolean {
  if (typeof value === 'number') return value === 0;
  return (percentOf(value) ?? (/^[-+]?\d+$/.test(value) ? Number(value) : 0)) === 0;
}

/** How many of `total` are meant; a share that is no whole number goes up or down as asked. */
export function countOf(value: number | string, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const share = ((percentOf(value) ?? 0) * total) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
