import type { DeleteOptions } from './delete-options.ts';

/** Holds a deleted object until what belongs to it was let go. */
export const orphanFinalizer = 'orphan';
/** Holds a deleted object until what belongs to it and blocks it is gone. */
export const foregroundFinalizer = 'foregroundDeletion';

/**
 * The finalizers of an object once its deletion was asked for in this way. Where nothing is said about what belongs to it, an object goes at once and
 * the rest follows, which is what users of kubectl expect of every kind; a deletion that is under way stays as it is.
 */
export function finalizersForDeletion(finalizers: readonly string[], options: DeleteOptions): readonly string[] {
  const policy = propagationOf(options);
  if (policy === undefined) return finalizers;
  const others = finalizers.filter((each) => each !== orphanFinalizer && each !== foregroundFinalizer);
  if (policy === 'Background') return others;
  return [...others, policy === 'Orphan' ? orphanFinalizer : foregroundFinalizer];
}

function propagationOf({ propagationPolicy, orphanDependents }: DeleteOptions): string | undefined {
  if (propagationPolicy !== undefined) return propagationPolicy;
  if (orphanDependents === undefined) return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}
