import { messageNumbers } from '../../src/kinds/protobuf/index.ts';
import type { ObjectSchema } from '../../src/schema/schema.ts';
import { writeMessage } from '../../src/schema/testing/message-writer.ts';
import { delimitedField } from '../../src/schema/testing/wire-bytes.ts';

export const protobuf = { 'Content-Type': 'application/vnd.kubernetes.protobuf' };

/** What a body says that it is. */
export interface Identity {
  readonly kind?: string;
  readonly apiVersion?: string;
}

/** An object in protobuf as clients in Go send it: with zero values for all that was never set. */
export function inProtobuf(schema: ObjectSchema, object: Identity): Buffer {
  const message = writeMessage(schema, { ...object }, { numbers: messageNumbers, zeros: true });
  return enveloped(object, message);
}

export function enveloped({ kind = '', apiVersion = '' }: Identity, message: Buffer): Buffer {
  const typeMeta = delimitedField(1, delimitedField(1, apiVersion), delimitedField(2, kind));
  return Buffer.concat([
    Buffer.from('k8s\0'),
    typeMeta,
    delimitedField(2, message),
    delimitedField(3),
    delimitedField(4),
  ]);
}
