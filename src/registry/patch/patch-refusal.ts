import { invalid, type ApiError } from '../../kinds/meta/api-error.ts';
import { isJsonObject, member, type JsonObject } from './json.ts';

/** The patch is well formed, but this object does not allow it (422): a failed test, or a place that is not there. */
export function cannotApply(document: JsonObject, field: string, why: string): ApiError {
  const metadata = member(document, 'metadata');
  const apiVersion = text(member(document, 'apiVersion'));
  const subject = {
    group: apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '',
    kind: text(member(document, 'kind')) || 'object',
    name: isJsonObject(metadata) ? text(member(metadata, 'name')) : '',
  };
  return invalid(subject, [{ field, reason: 'FieldValueInvalid', message: why }]);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
