import type { WriteOptions } from './write.ts';

export type PatchType = 'json' | 'merge' | 'strategic';

export interface PatchRequest extends WriteOptions {
  readonly type: PatchType;
  /** Parsed JSON. */
  readonly body: unknown;
}
