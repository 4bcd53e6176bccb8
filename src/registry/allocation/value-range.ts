/** Values that are given out once each: addresses of a block, or ports between two numbers. */
export interface ValueRange {
  /** How many there are. */
  readonly size: number;
  /** The text of the value at a position, from 0. */
  at(position: number): string;
  includes(value: string): boolean;
  toString(): string;
}

/** Ports from `first` to `last`, both included, written `30000-32767`. */
export function portRange(text: string): ValueRange {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text);
  const [first, last] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || first < 1 || last > 65_535 || first > last) {
    throw new RangeError(`"${text}" is no range of ports such as 30000-32767`);
  }
  return {
    size: last - first + 1,
    at: (position) => String(first + position),
    includes: (value) => Number(value) >= first && Number(value) <= last,
    toString: () => text,
  };
}

/** The usable addresses of an IPv4 block such as `10.0.0.0/16`: neither its first, which names the block, nor its last. */
export function addressRange(cidr: string): ValueRange {
  const [address = '', bits = ''] = cidr.split('/');
  const number = parseAddress(address);
  const prefix = /^\d{1,2}$/.test(bits) ? Number(bits) : NaN;
  if (number === undefined || !(prefix >= 8 && prefix <= 30)) {
    throw new RangeError(`"${cidr}" is no IPv4 block such as 10.0.0.0/16, with 8 to 30 bits`);
  }
  const total = 2 ** (32 - prefix);
  const base = number - (number % total);
  return {
    size: total - 2,
    at: (position) => formatAddress(base + 1 + position),
    includes(value) {
      const candidate = parseAddress(value);
      return candidate !== undefined && candidate > base && candidate < base + total - 1;
    },
    toString: () => cidr,
  };
}

function parseAddress(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let number = 0;
  for (const part of parts) {
    if (!/^\d{1,3}$/.test(part) || Number(part) > 255) return undefined;
    number = number * 256 + Number(part);
  }
  return number;
}

function formatAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}
