import { unsupportedMediaType } from '../../kinds/meta/api-error.ts';
import { isPatchType, patchTypes } from '../../registry/patch/patch.ts';
import type { PatchRequest } from '../../registry/patch.ts';
import { parseText, plainJson } from '../http/body.ts';
import { objectAddress, type Answer, type Exchange } from '../exchange.ts';
import { noteBody } from '../requests/request-record.ts';
import { readBytes } from './request-body.ts';
import { objectBody } from '../table/shaped-answer.ts';
import { writeOptions } from './write-options.ts';

export async function patchObject(exchange: Exchange): Promise<Answer> {
  const request = await readPatch(exchange);
  const { object, warnings } = await exchange.context.registry.patch(objectAddress(exchange), request);
  return { code: 200, body: objectBody(exchange, object), warnings };
}

/** What a patch means is said by its media type alone, so no other type will do. */
export async function readPatch(exchange: Exchange): Promise<PatchRequest> {
  const { request, record } = exchange;
  const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  const type = mediaType.trim().toLowerCase();
  if (!isPatchType(type)) {
    const known = Object.keys(patchTypes).join(', ');
    throw unsupportedMediaType(`a patch must have one of these media types: ${known}`);
  }
  const options = writeOptions(exchange);
  const bytes = await readBytes(exchange);
  const body = await parseText(bytes, plainJson);
  noteBody(record, body);
  return { ...options, type, body };
}
