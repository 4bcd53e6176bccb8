import { parseBody, readBody } from '../http/body.ts';
import type { Exchange } from '../exchange.ts';
import { noteBody } from '../requests/request-record.ts';

/** What was sent, whole. */
export async function readBytes({ request, context }: Exchange): Promise<Buffer> {
  const bytes = await readBody(request, context.limits.bodyBytes);
  await context.gate.wait();
  return bytes;
}

/** The object sent, as JSON or YAML. */
export async function readObject(exchange: Exchange): Promise<unknown> {
  const { request, record } = exchange;
  const bytes = await readBytes(exchange);
  const body = await parseBody(bytes, request.headers['content-type']);
  noteBody(record, body);
  return body;
}
