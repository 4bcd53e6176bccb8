import { formatTime } from '../../base/clock.ts';
import { MalformedMessage } from './malformed-message.ts';
import { wireTypes, type WireReader } from './wire-reader.ts';

/** An amount is its text in a message. */
export function readQuantity(wire: WireReader): string {
  let text = '';
  readFields(wire, {
    1: { wireType: wireTypes.delimited, read: () => (text = wire.text()) },
  });
  return text;
}

/** The year 0 and the end of the year 9999, in seconds since 1970: what can be written with four digits. */
const [firstSecond, lastSecond] = [-62_167_219_200, 253_402_300_799];

/** Seconds since 1970, and parts of one, which JSON leaves out, too. A message without anything is a moment that was never set. */
export function readTime(wire: WireReader): string | undefined {
  let seconds = 0;
  const isSet = readFields(wire, {
    1: { wireType: wireTypes.varint, read: () => (seconds = wire.int64()) },
    2: { wireType: wireTypes.varint, read: () => wire.int32() },
  });
  if (!isSet) return undefined;
  if (seconds < firstSecond || seconds > lastSecond) {
    throw new MalformedMessage(`${seconds} seconds from 1970 is no moment of the years 0 to 9999`);
  }
  return formatTime(seconds * 1000);
}

const [isInt, isString] = [0, 1];

/** Which of the two it is, and both. */
export function readIntOrString(wire: WireReader): number | string {
  let which = isInt;
  let int = 0;
  let text = '';
  readFields(wire, {
    1: { wireType: wireTypes.varint, read: () => (which = wire.int64()) },
    2: { wireType: wireTypes.varint, read: () => (int = wire.int32()) },
    3: { wireType: wireTypes.delimited, read: () => (text = wire.text()) },
  });
  if (which !== isInt && which !== isString) throw new MalformedMessage('it is neither an integer nor a string');
  return which === isInt ? int : text;
}

/** Any JSON, as text in a message; nothing where there is none. */
export function readAny(wire: WireReader): unknown {
  let text = '';
  readFields(wire, {
    1: { wireType: wireTypes.delimited, read: () => (text = wire.text()) },
  });
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedMessage('it is not valid JSON', { cause: error });
  }
}

interface SpecialField {
  readonly wireType: number;
  read(): void;
}

/** Reads a message with these fields; whether it had any. */
function readFields(wire: WireReader, fields: Readonly<Record<number, SpecialField>>): boolean {
  const outer = wire.enter();
  const hasAny = wire.more;
  while (wire.next()) {
    const field = fields[wire.fieldNumber];
    if (!field) wire.skip();
    else if (field.wireType === wire.wireType) field.read();
    else throw new MalformedMessage(`it has wire type ${wire.wireType} within; ${field.wireType} is wanted there`);
  }
  wire.leave(outer);
  return hasAny;
}
