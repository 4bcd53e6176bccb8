import { isUtf8 } from 'node:buffer';
import { MalformedMessage } from './malformed-message.ts';

/** How a value is written, as the lowest three bits of the number before a field say. */
export const wireTypes = { varint: 0, fixed64: 1, delimited: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

const longestVarint = 10;
const highestFieldNumber = 2 ** 29 - 1;

/**
 * Reads the binary form of Protocol Buffers from front to end, never past the end of the message it is in. Whatever the bytes are,
 * it comes to an end or throws a `MalformedMessage`.
 */
export class WireReader {
  /** Of the field that `next` went to. */
  fieldNumber = 0;
  wireType = 0;

  readonly #bytes: Buffer;
  #at = 0;
  #end: number;
  /** The last varint: its 64 bits in two halves, since a number does not hold them. */
  #low = 0;
  #high = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  /** Goes to the next field of the message; false when there is none. Its value has to be read, or skipped. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    this.#readVarint();
    const tag = this.#unsigned();
    this.wireType = tag % 8;
    this.fieldNumber = (tag - this.wireType) / 8;
    if (this.fieldNumber < 1 || this.fieldNumber > highestFieldNumber) {
      throw new MalformedMessage(`${this.fieldNumber} is no number of a field`);
    }
    return true;
  }

  /** Goes into the message that is the value of this field. What comes back is for `leave`. */
  enter(): number {
    const length = this.#length();
    const outer = this.#end;
    this.#end = this.#at + length;
    return outer;
  }

  /** Back into the message around, behind all that was entered. */
  leave(outer: number): void {
    this.#at = this.#end;
    this.#end = outer;
  }

  int32(): number {
    this.#readVarint();
    return this.#low;
  }

  /** Beyond what a number holds exactly it is no safe integer, so that whoever looks at it can tell. */
  int64(): number {
    this.#readVarint();
    return this.#high * 2 ** 32 + (this.#low >>> 0);
  }

  boolean(): boolean {
    this.#readVarint();
    return (this.#low | this.#high) !== 0;
  }

  text(): string {
    const bytes = this.bytes();
    if (!isUtf8(bytes)) throw new MalformedMessage('the text is not valid UTF-8');
    return bytes.toString('utf8');
  }

  /** A view of what was read, not a copy. */
  bytes(): Buffer {
    const length = this.#length();
    const start = this.#at;
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }

  /** Whether there is more in the message, or in the list of numbers, that was entered. */
  get more(): boolean {
    return this.#at < this.#end;
  }

  /** Passes over the value of this field. */
  skip(): void {
    if (this.wireType === wireTypes.groupStart) this.#skipGroup();
    else this.#skipValue();
  }

  /** The old form of a message: fields up to an end. Counted rather than called, so that no depth is too deep. */
  #skipGroup(): void {
    const open = [this.fieldNumber];
    while (open.length > 0) {
      if (!this.next()) throw new MalformedMessage('a group has no end');
      if (this.wireType === wireTypes.groupStart) open.push(this.fieldNumber);
      else if (this.wireType !== wireTypes.groupEnd) this.#skipValue();
      else if (open.pop() !== this.fieldNumber) throw new MalformedMessage('a group ends that was not begun');
    }
  }

  #skipValue(): void {
    switch (this.wireType) {
      case wireTypes.varint:
        return this.#readVarint();
      case wireTypes.fixed64:
        return this.#pass(8);
      case wireTypes.fixed32:
        return this.#pass(4);
      case wireTypes.delimited:
        return this.#pass(this.#length());
      default:
        throw new MalformedMessage(`a value of wire type ${this.wireType} cannot stand here`);
    }
  }

  #pass(length: number): void {
    if (length > this.#end - this.#at) throw this.#tooShort();
    this.#at += length;
  }

  #length(): number {
    this.#readVarint();
    const length = this.#unsigned();
    if (length > this.#end - this.#at) throw this.#tooShort();
    return length;
  }

  #unsigned(): number {
    return (this.#high >>> 0) * 2 ** 32 + (this.#low >>> 0);
  }

  /** Seven bits a byte, the lowest first; all but the last byte have the highest bit set. */
  #readVarint(): void {
    this.#low = 0;
    this.#high = 0;
    for (let i = 0; i < longestVarint; i++) {
      if (this.#at >= this.#end) throw this.#tooShort();
      const byte = this.#bytes[this.#at++]!;
      this.#add(byte & 0x7f, 7 * i);
      if (byte < 0x80) return;
    }
    throw new MalformedMessage(`a number has more than ${longestVarint} bytes`);
  }

  #add(bits: number, shift: number): void {
    if (shift < 32) this.#low |= bits << shift;
    // Of the fifth byte three bits belong to the other half.
    if (shift === 28) this.#high |= bits >> 4;
    else if (shift > 28) this.#high |= bits << (shift - 32);
  }

  #tooShort(): MalformedMessage {
    return new MalformedMessage('the bytes end before the value does');
  }
}
