import type { PatchType } from '../registry/patch/patch.ts';
import type { Patch } from './client.ts';

/** A patch as requests carry it. */
export interface PatchBody {
  readonly type: PatchType;
  readonly body: unknown;
}

export function patchBody(patch: Patch): PatchBody {
  if ('merge' in patch) return { type: 'application/merge-patch+json', body: patch.merge };
  if ('strategic' in patch) return { type: 'application/strategic-merge-patch+json', body: patch.strategic };
  return { type: 'application/json-patch+json', body: patch.json };
}
