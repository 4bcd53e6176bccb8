import { parseBody, readBody } from '../http/body.ts';
import type { Exchange } from '../exchange.ts';
import { noteBody } from '../requests/request-record.ts';

/** The object sent, as JSON or YAML. */
export async function readObject({ request, record, context }: Exchange): Promise<unknown> {
  const bytes = await readBody(request, context.limits.bodyBytes);
  const body = await parseBody(bytes, request.headers['content-type']);
  noteBody(record, body);
  return body;
}
