/**
 * Writes DER, the encoding of certificates: each value is a tag, a length and its bytes. Only what certificates need; nothing here reads.
 */
const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function tagged(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

export function sequence(...items: readonly Uint8Array[]): Buffer {
  return tagged(tags.sequence, Buffer.concat(items));
}

export function setOf(item: Uint8Array): Buffer {
  return tagged(tags.set, item);
}

export function boolean(value: boolean): Buffer {
  return tagged(tags.boolean, Buffer.from([value ? 0xff : 0]));
}

/** A non-negative integer given by its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  // A set top bit would read as a negative number.
  const isNegative = (digits[0] ?? 0) >= 0x80;
  return tagged(tags.integer, isNegative ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return tagged(tags.bitString, Buffer.concat([Buffer.from([unusedBits]), bytes]));
}

export function octetString(bytes: Uint8Array): Buffer {
  return tagged(tags.octetString, bytes);
}

export function utf8String(text: string): Buffer {
  return tagged(tags.utf8String, Buffer.from(text, 'utf8'));
}

/** `1.2.840.10045.4.3.2` and the like. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes: number[] = [];
  for (const part of [first * 40 + second, ...rest]) bytes.push(...base128(part));
  return tagged(tags.objectIdentifier, Buffer.from(bytes));
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest % 128));
  return bytes;
}

/** A moment in whole seconds; certificates write years from 2050 on with four digits. */
export function time(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
  if (Number(digits.slice(0, 4)) >= 2050) return tagged(tags.generalizedTime, Buffer.from(digits, 'latin1'));
  return tagged(tags.utcTime, Buffer.from(digits.slice(2), 'latin1'));
}

/** `[n]` around a whole value. */
export function explicit(n: number, value: Uint8Array): Buffer {
  return tagged(0xa0 | n, value);
}

/** `[n]` instead of a value's own tag. */
export function implicit(n: number, content: Uint8Array): Buffer {
  return tagged(0x80 | n, content);
}
