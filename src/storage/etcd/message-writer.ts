/** Writes one protobuf message. Fields that have their default value are left out, as the format wants it. */
export class MessageWriter {
  readonly #parts: Uint8Array[] = [];

  /** A whole number that is not negative. */
  number(field: number, value: number): this {
    if (value !== 0) this.#parts.push(varint(field * 8), varint(value));
    return this;
  }

  flag(field: number, value: boolean): this {
    return this.number(field, value ? 1 : 0);
  }

  bytes(field: number, value: Uint8Array): this {
    return value.length > 0 ? this.message(field, value) : this;
  }

  /** Bytes that are written even when there are none: whether such a field is there means something. */
  message(field: number, value: Uint8Array): this {
    this.#parts.push(varint(field * 8 + 2), varint(value.length), value);
    return this;
  }

  end(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
