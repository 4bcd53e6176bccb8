/** A message in the binary form of Protocol Buffers, being written. Only what our messages need: no groups, no packed numbers. */
export class ProtobufMessage {
  readonly #chunks: Buffer[] = [];

  text(field: number, value: string): this {
    return this.#delimited(field, Buffer.from(value, 'utf8'));
  }

  flag(field: number, value: boolean): this {
    this.#chunks.push(varint(field * 8), varint(value ? 1 : 0));
    return this;
  }

  double(field: number, value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#chunks.push(varint(field * 8 + 1), bytes);
    return this;
  }

  message(field: number, value: ProtobufMessage): this {
    return this.#delimited(field, value.finish());
  }

  finish(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  #delimited(field: number, bytes: Buffer): this {
    this.#chunks.push(varint(field * 8 + 2), varint(bytes.length), bytes);
    return this;
  }
}

/** Seven bits a byte, the lowest first; all but the last byte have the highest bit set. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
