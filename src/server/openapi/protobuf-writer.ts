/**
 * Writes a message in the binary form of Protocol Buffers. Only what our messages need: no groups, no packed numbers. Messages inside the
 * message are written in place, so that nothing is copied from buffer to buffer.
 */
export class ProtobufWriter {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #end = 0;

  text(field: number, value: string): this {
    const length = Buffer.byteLength(value, 'utf8');
    this.#varint(field * 8 + 2);
    this.#varint(length);
    this.#reserve(length);
    this.#end += this.#buffer.write(value, this.#end, 'utf8');
    return this;
  }

  flag(field: number, value: boolean): this {
    this.#varint(field * 8);
    this.#varint(value ? 1 : 0);
    return this;
  }

  double(field: number, value: number): this {
    this.#varint(field * 8 + 1);
    this.#reserve(8);
    this.#end = this.#buffer.writeDoubleLE(value, this.#end);
    return this;
  }

  /** A message inside the message: what `write` writes. */
  message(field: number, write: () => void): this {
    this.#varint(field * 8 + 2);
    const start = this.#end;
    write();
    const length = this.#end - start;
    // Only now is the length known that stands before it.
    const size = varintSize(length);
    this.#reserve(size);
    this.#buffer.copyWithin(start + size, start, this.#end);
    this.#end = start;
    this.#varint(length);
    this.#end += length;
    return this;
  }

  finish(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#end));
  }

  /** Seven bits a byte, the lowest first; all but the last byte have the highest bit set. */
  #varint(value: number): void {
    this.#reserve(varintSize(value));
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.#buffer[this.#end++] = (rest & 0x7f) | 0x80;
    this.#buffer[this.#end++] = rest;
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size++;
  return size;
}
