import { configMap } from './core/config-map.ts';
import type { Kind } from './kind.ts';

/** Every kind that is stored, in the order in which discovery lists them. */
export const kinds: readonly Kind[] = [configMap];
