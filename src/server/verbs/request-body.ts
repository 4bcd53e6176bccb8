import { parseBody, readBody } from '../http/body.ts';
import type { Exchange } from '../exchange.ts';

/** The object sent, as JSON or YAML. */
export async function readObject({ request, context }: Exchange): Promise<unknown> {
  const bytes = await readBody(request, context.limits.bodyBytes);
  return parseBody(bytes, request.headers['content-type']);
}
