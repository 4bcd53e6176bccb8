const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

interface Step {
  /** Spans below this are written in these units. */
  readonly below: number;
  readonly unit: number;
  readonly letter: string;
  /** A second, smaller unit, left out where there is none of it. */
  readonly rest?: { readonly unit: number; readonly letter: string };
}

/** The larger a span, the coarser its text: two or three digits tell enough, and `kubectl` shows spans just so. */
const steps: readonly Step[] = [
  { below: 2 * minute, unit: second, letter: 's' },
  { below: 10 * minute, unit: minute, letter: 'm', rest: { unit: second, letter: 's' } },
  { below: 3 * hour, unit: minute, letter: 'm' },
  { below: 8 * hour, unit: hour, letter: 'h', rest: { unit: minute, letter: 'm' } },
  { below: 2 * day, unit: hour, letter: 'h' },
  { below: 8 * day, unit: day, letter: 'd', rest: { unit: hour, letter: 'h' } },
  { below: 2 * year, unit: day, letter: 'd' },
  { below: 8 * year, unit: year, letter: 'y', rest: { unit: day, letter: 'd' } },
  { below: Infinity, unit: year, letter: 'y' },
];

/** A span of time in few characters: `45s`, `5m30s`, `3d4h`. What is negative by more than clocks differ is `<invalid>`. */
export function shortDuration(ms: number): string {
  if (Number.isNaN(ms) || ms <= -2 * second) return '<invalid>';
  const span = Math.max(0, ms);
  const { unit, letter, rest } = steps.find(({ below }) => span < below) ?? steps.at(-1)!;
  const whole = `${Math.floor(span / unit)}${letter}`;
  const remainder = rest ? Math.floor((span % unit) / rest.unit) : 0;
  return rest && remainder > 0 ? `${whole}${remainder}${rest.letter}` : whole;
}
