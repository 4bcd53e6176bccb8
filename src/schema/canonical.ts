import { formatTime } from '../base/clock.ts';

const rfc3339 = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** The moment that stands for none: programs of the reference write it where they know no time. */
export const zeroTime = '0001-01-01T00:00:00Z';

/** The moment in UTC and whole seconds; nothing for what is no moment, such as the 30th of February. */
export function canonicalTime(text: string): string | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [, date, clock, sign, hours = '0', minutes = '0'] = match;
  const written = `${date}T${clock}Z`;
  const local = Date.parse(written);
  // The parser carries days over into the next month, and 24:00 into the next day.
  if (Number.isNaN(local) || formatTime(local) !== written) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const moment = formatTime(sign === '-' ? local + offset : local - offset);
  // An offset can lead out of the years that have four digits.
  return /^\d{4}-/.test(moment) ? moment : undefined;
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The bytes in one spelling: without line breaks, and with no stray bits behind the last byte. */
export function canonicalBase64(text: string): string | undefined {
  const bare = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text;
  if (bare.length % 4 !== 0 || !base64.test(bare)) return undefined;
  if (!bare.endsWith('=')) return bare;
  return bare.slice(0, -4) + Buffer.from(bare.slice(-4), 'base64').toString('base64');
}

/** Whether a number is an integer that so many bits hold; of 64, as many as a number can tell apart. */
export function isInteger(value: number, bits: 32 | 64): boolean {
  return bits === 32 ? (value | 0) === value : Number.isSafeInteger(value);
}
