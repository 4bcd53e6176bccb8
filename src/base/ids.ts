import { randomBytes, randomUUID } from 'node:crypto';

/** Where randomness and identity come from. */
export interface Ids {
  /** A new uid for an object. */
  uid(): string;
  /** A suffix of five characters for a generated name. */
  nameSuffix(): string;
}

/** A number from 0 up to but not including 1, out of the same source. */
export function fraction(ids: Ids): number {
  return Number.parseInt(ids.uid().slice(0, 8), 16) / 2 ** 32;
}

// No vowels and no look-alikes, so that a generated name spells no word and can be read out.
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

function suffixFrom(bytes: Uint8Array): string {
  let suffix = '';
  for (const byte of bytes) suffix += suffixAlphabet[byte % suffixAlphabet.length];
  return suffix;
}

export const randomIds: Ids = {
  uid: () => randomUUID(),
  nameSuffix: () => suffixFrom(randomBytes(5)),
};

/** Ids that are the same in every run with the same seed, for tests. */
export function seededIds(seed: number): Ids {
  let state = seed >>> 0;
  function next(): number {
    // Mulberry32: small, and good enough for names.
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }
  const hex = (): string => next().toString(16).padStart(8, '0');
  return {
    uid() {
      const [a, b, c, d] = [hex(), hex(), hex(), hex()];
      return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}`;
    },
    nameSuffix: () => suffixFrom(Uint8Array.from({ length: 5 }, () => next() & 0xff)),
  };
}
