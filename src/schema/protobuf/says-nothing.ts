import { MalformedMessage } from './malformed-message.ts';
import { WireReader, wireTypes } from './wire-reader.ts';

/** Messages within messages are looked into so far; later types do not go deeper with nothing in it. */
const deepest = 8;

/**
 * Whether the field that the reader is at holds nothing but zero values, and passes over it. Clients write many fields that were never set, as "", 0, or a
 * message of such: in JSON they would be absent.
 */
export function skipIfNothing(wire: WireReader): boolean {
  return isNothing(wire, deepest);
}

function isNothing(wire: WireReader, depth: number): boolean {
  if (wire.wireType === wireTypes.varint) return !wire.boolean();
  if (wire.wireType === wireTypes.delimited) return holdsNothing(wire.bytes(), depth);
  wire.skip();
  return false;
}

function holdsNothing(bytes: Buffer, depth: number): boolean {
  if (bytes.length === 0) return true;
  if (depth === 0) return false;
  try {
    const wire = new WireReader(bytes);
    while (wire.next()) if (!isNothing(wire, depth - 1)) return false;
    return true;
  } catch (error) {
    // It is no message, so it is text, and there is some.
    if (error instanceof MalformedMessage) return false;
    throw error;
  }
}
