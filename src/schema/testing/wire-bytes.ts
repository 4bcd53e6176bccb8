/** Pieces of protobuf, put together by hand. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

function tag(number: number, wireType: number): Buffer {
  return varint(number * 8 + wireType);
}

export function varintField(number: number, value: number | bigint): Buffer {
  return Buffer.concat([tag(number, 0), varint(value)]);
}

/** Text, bytes or a message. */
export function delimitedField(number: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  return Buffer.concat([tag(number, 2), varint(content.length), content]);
}

export function fixedField(number: number, bytes: 4 | 8, fill = 0): Buffer {
  return Buffer.concat([tag(number, bytes === 8 ? 1 : 5), Buffer.alloc(bytes, fill)]);
}

export function groupField(number: number, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([tag(number, 3), ...parts, tag(number, 4)]);
}
