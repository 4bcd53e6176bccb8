import { isIP, isIPv4 } from 'node:net';
import type { PortRange } from '../cluster-options.ts';
import { WrongValue, type FlagValue } from './flag.ts';

/** Any text but the empty one. */
export function text(placeholder: string): FlagValue<string> {
  return {
    placeholder,
    parse(given) {
      if (given === '') throw new WrongValue('a value that is not empty');
      return given;
    },
  };
}

export function wholeNumber(bounds: { readonly min: number; readonly max: number }): FlagValue<number> {
  const wanted =
    bounds.max === Number.MAX_SAFE_INTEGER
      ? `a whole number of at least ${bounds.min}`
      : `a whole number from ${bounds.min} to ${bounds.max}`;
  return {
    placeholder: 'N',
    parse(given) {
      const number = Number(given);
      if (!/^\d+$/.test(given) || number < bounds.min || number > bounds.max) throw new WrongValue(wanted);
      return number;
    },
  };
}

export const port: FlagValue<number> = wholeNumber({ min: 0, max: 65_535 });

export function choice<const Name extends string>(names: readonly Name[]): FlagValue<Name> {
  return {
    placeholder: names.join('|'),
    parse(given) {
      const name = names.find((candidate) => candidate === given);
      if (name === undefined) throw new WrongValue(`one of ${names.join(', ')}`);
      return name;
    },
  };
}

/** Names with commas between them; an empty text is an empty list. */
export const nameList: FlagValue<readonly string[]> = {
  placeholder: 'LIST',
  parse(given) {
    if (given.trim() === '') return [];
    const names = given.split(',').map((name) => name.trim());
    if (names.includes('')) throw new WrongValue('names with commas between them');
    return names;
  },
};

export const ipAddress: FlagValue<string> = {
  placeholder: 'ADDRESS',
  parse(given) {
    if (isIP(given) === 0 || given.includes('%')) throw new WrongValue('an IP address, such as 127.0.0.1 or 0.0.0.0');
    return given;
  },
};

/** An IPv4 network that holds at least eight addresses and at most as many as the reference allows. */
export const ipNetwork: FlagValue<string> = {
  placeholder: 'CIDR',
  parse(given) {
    const [address = '', length = '', ...rest] = given.split('/');
    const isNetwork = isIPv4(address) && /^\d{1,2}$/.test(length) && rest.length === 0;
    if (!isNetwork || Number(length) < 12 || Number(length) > 29) {
      throw new WrongValue('an IPv4 network between /12 and /29, such as 10.0.0.0/16');
    }
    return given;
  },
};

export const portRange: FlagValue<PortRange> = {
  placeholder: 'FIRST-LAST',
  parse(given) {
    const match = /^(\d{1,5})-(\d{1,5})$/.exec(given);
    const [first, last] = [Number(match?.[1]), Number(match?.[2])];
    if (!match || first < 1 || last > 65_535 || first > last) {
      throw new WrongValue('two ports with a dash between them, such as 30000-32767');
    }
    return { first, last };
  },
};

const byteUnits: Readonly<Record<string, number>> = { '': 1, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 };

/** Bytes, with Ki, Mi or Gi where that is shorter. */
export const byteSize: FlagValue<number> = {
  placeholder: 'BYTES',
  parse(given) {
    const match = /^(\d{1,12})(|Ki|Mi|Gi)$/.exec(given);
    const size = Number(match?.[1]) * (byteUnits[match?.[2] ?? ''] ?? Number.NaN);
    if (!match || !Number.isSafeInteger(size)) throw new WrongValue('a number of bytes, such as 1048576 or 256Mi');
    return size;
  },
};

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A span of time in milliseconds, written in parts such as `1h30m`. */
export const duration: FlagValue<number> = {
  placeholder: 'TIME',
  parse(given) {
    if (!/^(\d{1,9}(ms|s|m|h))+$/.test(given)) throw new WrongValue('a span of time, such as 90s, 10m or 1h30m');
    let total = 0;
    for (const [, amount, unit = ''] of given.matchAll(/(\d+)(ms|s|m|h)/g)) {
      total += Number(amount) * (durationUnits[unit] ?? 0);
    }
    return total;
  },
};
