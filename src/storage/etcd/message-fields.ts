/** One field of a protobuf message: a number, or bytes. What it means is for the reader of the message to know. */
export interface MessageField {
  readonly field: number;
  readonly number: number;
  readonly bytes: Buffer;
}

const none = Buffer.alloc(0);

/**
 * The fields of one protobuf message, in order. Numbers beyond 2^53 lose precision: none that matter here are as large. Throws a `RangeError` for what
 * is no such message. Bytes are views into the message, not copies.
 */
export function* messageFields(message: Buffer): Iterable<MessageField> {
  const cursor = { message, offset: 0 };
  while (cursor.offset < message.length) {
    const tag = readVarint(cursor);
    const field = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        yield { field, number: readVarint(cursor), bytes: none };
        break;
      case 1:
        yield { field, number: 0, bytes: take(cursor, 8) };
        break;
      case 2:
        yield { field, number: 0, bytes: take(cursor, readVarint(cursor)) };
        break;
      case 5:
        yield { field, number: 0, bytes: take(cursor, 4) };
        break;
      default:
        throw new RangeError(`a message has a field of the unknown wire type ${tag % 8}`);
    }
  }
}

interface Cursor {
  readonly message: Buffer;
  offset: number;
}

function readVarint(cursor: Cursor): number {
  let value = 0;
  for (let scale = 1; ; scale *= 0x80) {
    const byte = cursor.message[cursor.offset++];
    if (byte === undefined) throw new RangeError('a message ends within a number');
    value += (byte % 0x80) * scale;
    if (byte < 0x80) return value;
    if (scale >= 0x80 ** 9) throw new RangeError('a message holds a number of more than ten bytes');
  }
}

function take(cursor: Cursor, length: number): Buffer {
  const end = cursor.offset + length;
  if (end > cursor.message.length) throw new RangeError('a message ends within a field');
  const bytes = cursor.message.subarray(cursor.offset, end);
  cursor.offset = end;
  return bytes;
}
