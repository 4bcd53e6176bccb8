import { badRequest, unsupportedMediaType } from '../../kinds/meta/api-error.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { applyJsonPatch } from './json-patch.ts';
import { deepestJson, isDeeperThan, type JsonObject } from './json.ts';
import { applyMergePatch } from './merge-patch.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

/** An object as plain JSON, and what is to be done to it. Neither is changed. */
interface Patch {
  readonly schema: ObjectSchema;
  readonly document: JsonObject;
  /** The request's body as parsed JSON. */
  readonly patch: unknown;
}

/** The ways to write a patch, by media type. */
export const patchTypes = {
  'application/json-patch+json': ({ document, patch }: Patch) => applyJsonPatch(document, patch),
  'application/merge-patch+json': ({ document, patch }: Patch) => applyMergePatch(document, patch),
  'application/strategic-merge-patch+json': ({ schema, document, patch }: Patch) =>
    applyStrategicMergePatch(schema, document, patch),
} as const satisfies Readonly<Record<string, (patch: Patch) => JsonObject>>;

export type PatchType = keyof typeof patchTypes;

export function isPatchType(mediaType: string): mediaType is PatchType {
  return Object.hasOwn(patchTypes, mediaType);
}

export interface PatchRequest {
  /** The media type, without parameters. */
  readonly type: string;
  readonly schema: ObjectSchema;
  /** A decoded object, or any other that could have come out of JSON. */
  readonly document: object;
  readonly patch: unknown;
}

/**
 * The document after the patch. Refuses with 415 what is no patch type, with 400 what is no patch of that type, and with 422 what this
 * document does not allow. What the result means is for its decoding and validation to say.
 */
export function applyPatch({ type, schema, document, patch }: PatchRequest): JsonObject {
  if (!isPatchType(type)) {
    throw unsupportedMediaType(`a patch is sent as ${Object.keys(patchTypes).join(', ')}, not as ${type || 'nothing'}`);
  }
  if (isDeeperThan(patch, deepestJson)) throw badRequest(`the patch is nested more than ${deepestJson} deep`);
  return patchTypes[type]({ schema, document: document as JsonObject, patch });
}
