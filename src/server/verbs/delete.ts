import type { Status } from '../../kinds/meta/status.ts';
import { readDeleteRequest } from './delete-request.ts';
import { objectBody } from '../table/shaped-answer.ts';
import { objectAddress, type Answer, type Exchange } from '../exchange.ts';

const success: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 };

/** Answers with the object while it is still there, and always for the kinds that the reference does it for. */
export async function deleteObject(exchange: Exchange): Promise<Answer> {
  const { served } = exchange.target.resource;
  const request = await readDeleteRequest(exchange);
  const { object, removed } = await exchange.context.registry.delete(objectAddress(exchange), request);
  const showsObject = served.kind.deleteAnswersObject || !removed;
  return { code: 200, body: showsObject ? objectBody(exchange, object) : success };
}
