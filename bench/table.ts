import type { Figure } from './figure.ts';

const columns = ['', 'wherry', 'floor', 'unit', 'ratio', 'by cpu', 'goal'];

/** The figures for people. */
export function formatTable(figures: readonly Figure[]): string {
  const lines = [columns, ...figures.map(cells)];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column]!, column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Numbers stand to the right, words to the left. */
function pad(cell: string, width: number, column: number): string {
  const isNumber = column === 1 || column === 2 || column === 4 || column === 5;
  return isNumber ? cell.padStart(width) : cell.padEnd(width);
}

function cells({ what, wherry, floor, unit, ratio, cpuRatio, goal = '' }: Figure): string[] {
  return [what, amount(wherry), amount(floor), unit, share(ratio), share(cpuRatio), goal];
}

function amount(value: number | undefined): string {
  if (value === undefined) return '';
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
}

function share(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(2);
}
