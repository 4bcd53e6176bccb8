import { conflict } from '../kinds/meta/api-error.ts';
import type { ObjectAddress } from './address.ts';
import { subjectOf } from './address.ts';
import { decodeObject } from './decode-body.ts';
import { presentObject } from './encoding.ts';
import { checkNamed, settleNamespace } from './object-rules.ts';
import { applyPatch, type PatchType } from './patch/patch.ts';
import type { RegistryContext } from './registry.ts';
import { change } from './update.ts';
import { revisionNamed, type WriteOptions, type WriteResult } from './write.ts';

export interface PatchRequest extends WriteOptions {
  readonly type: PatchType;
  /** Parsed JSON. */
  readonly body: unknown;
  /** Which part of the object is written: through `/status` only status. */
  readonly subresource?: 'status';
}

/** Applies a patch to what clients of this version see, and stores the outcome as a replace would. */
export async function patch(
  context: RegistryContext,
  address: ObjectAddress,
  request: PatchRequest,
): Promise<WriteResult> {
  const { served } = address;
  let warnings: readonly string[] = [];
  const changed = await change(context, address, request, {
    subresource: request.subresource,
    missingNamesObject: true,
    next(current) {
      const document = presentObject(current, served);
      const patched = applyPatch({ type: request.type, schema: served.schema, document, patch: request.body });
      const decoded = decodeObject(served, patched, request.fieldValidation);
      ({ warnings } = decoded);
      const { object } = decoded;
      checkNamed(address, object);
      settleNamespace(address, object);
      // The document carries the current version; a patch that put another one there was made from that.
      const resourceVersion = revisionNamed(object);
      if (resourceVersion && resourceVersion !== String(current.revision)) {
        throw conflict(
          subjectOf(address),
          'the patch was made from another version; read it again and repeat the change',
        );
      }
      return object;
    },
  });
  return { object: changed.object, created: false, warnings };
}
