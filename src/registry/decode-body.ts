import type { Mistake } from '../schema/decode.ts';
import { decode } from '../schema/decode.ts';
import type { ObjectSchema } from '../schema/schema.ts';
import { badRequest } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { ServedVersion } from '../kinds/served-version.ts';
import type { FieldValidation } from './write.ts';

export interface DecodedBody<T> {
  readonly object: T;
  readonly warnings: readonly string[];
}

/** A type that bodies are read as: what they may call themselves, and their schema. */
export interface BodyType<T> {
  readonly kind: string;
  /** Absent where the type itself says which will do. */
  readonly apiVersion?: string;
  readonly schema: ObjectSchema<T>;
}

/** What bodies of a served version are read as. */
export function bodyTypeOf({ kind, apiVersion, schema }: ServedVersion): BodyType<ApiObject> {
  return { kind: kind.kind, apiVersion, schema };
}

/** Reads a body as an object of a kind, in its stored version. */
export function decodeObject(served: ServedVersion, body: unknown, unknown: FieldValidation): DecodedBody<ApiObject> {
  const decoded = decodeBody(bodyTypeOf(served), body, unknown);
  return served.conversion ? { ...decoded, object: served.conversion.toStored(decoded.object) } : decoded;
}

/** Refuses with 400 what cannot be read as this type. kind and apiVersion may be left out. */
export function decodeBody<T>(type: BodyType<T>, body: unknown, unknown: FieldValidation): DecodedBody<T> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest(`the body must be an object of kind ${type.kind}`);
  }
  checkIdentity(type, body);
  const decoded = decode(type.schema, body);
  if (decoded.mistakes.length > 0) throw badRequest(`the body is no ${type.kind}: ${explain(decoded.mistakes)}`);
  const dropped = unknown === 'Ignore' ? [] : decoded.unknown;
  if (dropped.length > 0 && unknown === 'Strict') {
    throw badRequest(`the body has fields that a ${type.kind} does not have: ${dropped.join(', ')}`);
  }
  return { object: decoded.value, warnings: dropped.map((field) => `unknown field "${field}"`) };
}

/** Refuses with 400 what says that it is something else. */
export function checkIdentity(
  type: Pick<BodyType<unknown>, 'kind' | 'apiVersion'>,
  body: { readonly kind?: unknown; readonly apiVersion?: unknown },
): void {
  const { kind, apiVersion } = body;
  if (kind && kind !== type.kind) throw badRequest(`the body is of kind ${shown(kind)}; ${type.kind} is wanted here`);
  if (apiVersion && type.apiVersion && apiVersion !== type.apiVersion) {
    throw badRequest(`the body has apiVersion ${shown(apiVersion)}; ${type.apiVersion} is wanted here`);
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}

function explain(mistakes: readonly Mistake[]): string {
  return mistakes.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; ');
}
