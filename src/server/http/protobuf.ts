import { badRequest } from '../../kinds/meta/api-error.ts';
import { messageNumbers } from '../../kinds/protobuf/index.ts';
import { checkIdentity, type BodyType } from '../../registry/decode-body.ts';
import { MalformedMessage } from '../../schema/protobuf/malformed-message.ts';
import { MessagePlans } from '../../schema/protobuf/message-plan.ts';
import { readMessage } from '../../schema/protobuf/read-message.ts';
import { readEnvelope } from './protobuf-envelope.ts';

export const protobufMedia = 'application/vnd.kubernetes.protobuf';

const plans = new MessagePlans(messageNumbers);

/** A body in protobuf, as the JSON that would say the same. It can only be read as the type that is wanted. */
export function parseProtobuf(bytes: Buffer, wanted: BodyType<unknown>): unknown {
  try {
    const { kind, apiVersion, contentType, contentEncoding, raw } = readEnvelope(bytes);
    if (contentEncoding || (contentType && contentType !== protobufMedia)) {
      const what = JSON.stringify(contentEncoding || contentType).slice(0, 100);
      throw new MalformedMessage(`the object within is said to be ${what}, not plain protobuf`);
    }
    const identity = { ...(kind && { kind }), ...(apiVersion && { apiVersion }) };
    checkIdentity(wanted, identity);
    return { ...identity, ...readMessage(wanted.schema, plans, raw) };
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    throw badRequest(`the protobuf cannot be read: ${error.message}`, { cause: error });
  }
}
