import { MalformedMessage } from '../../schema/protobuf/malformed-message.ts';
import { WireReader, wireTypes } from '../../schema/protobuf/wire-reader.ts';

/** What goes around an object in protobuf: what it is, since the message itself does not say so, and the message. */
export interface Envelope {
  readonly kind: string;
  readonly apiVersion: string;
  readonly raw: Buffer;
  readonly contentEncoding: string;
  readonly contentType: string;
}

const mark = Buffer.from('k8s\0');

export function hasEnvelope(bytes: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(mark);
}

/** What is absent is empty. Throws `MalformedMessage`. */
export function readEnvelope(bytes: Buffer): Envelope {
  if (!hasEnvelope(bytes)) throw new MalformedMessage('it does not begin with "k8s" and a zero byte');
  const wire = new WireReader(bytes.subarray(mark.length));
  const envelope = { kind: '', apiVersion: '', raw: bytes.subarray(0, 0), contentEncoding: '', contentType: '' };
  while (wire.next()) {
    if (wire.fieldNumber > 4) wire.skip();
    else if (wire.wireType !== wireTypes.delimited) throw misplaced(wire);
    else if (wire.fieldNumber === 1) Object.assign(envelope, readTypeMeta(wire));
    else if (wire.fieldNumber === 2) envelope.raw = wire.bytes();
    else if (wire.fieldNumber === 3) envelope.contentEncoding = wire.text();
    else envelope.contentType = wire.text();
  }
  return envelope;
}

function readTypeMeta(wire: WireReader): { kind: string; apiVersion: string } {
  const typeMeta = { kind: '', apiVersion: '' };
  const outer = wire.enter();
  while (wire.next()) {
    if (wire.fieldNumber > 2) wire.skip();
    else if (wire.wireType !== wireTypes.delimited) throw misplaced(wire);
    else typeMeta[wire.fieldNumber === 1 ? 'apiVersion' : 'kind'] = wire.text();
  }
  wire.leave(outer);
  return typeMeta;
}

function misplaced({ wireType, fieldNumber }: WireReader): MalformedMessage {
  return new MalformedMessage(`field ${fieldNumber} of the envelope has wire type ${wireType}; 2 is wanted there`);
}
