import type { BodyType } from '../../registry/decode-body.ts';
import { parseBody, readBody } from '../http/body.ts';
import type { Exchange } from '../exchange.ts';
import { noteBody } from '../requests/request-record.ts';

/** What was sent, whole. */
export async function readBytes({ request, context }: Exchange): Promise<Buffer> {
  const bytes = await readBody(request, context.limits.bodyBytes);
  await context.gate.wait();
  return bytes;
}

/** The object sent, as the JSON that says it. `wanted` is what it will be read as: one in protobuf makes no sense without. */
export async function readObject(exchange: Exchange, wanted: BodyType<unknown>): Promise<unknown> {
  const { request, record } = exchange;
  const bytes = await readBytes(exchange);
  const body = await parseBody(bytes, request.headers['content-type'], wanted);
  noteBody(record, body);
  return body;
}
