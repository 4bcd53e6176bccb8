/**
 * How often a property is tried: `usual` times, or as many times more as FUZZ_FACTOR says. FUZZ_SEED repeats a run whose failure named its
 * seed.
 */
export function fuzzRuns(usual: number): { readonly numRuns: number; readonly seed?: number } {
  const factor = Number(process.env['FUZZ_FACTOR'] ?? 1);
  const seed = process.env['FUZZ_SEED'];
  return { numRuns: Math.ceil(usual * factor), ...(seed === undefined ? {} : { seed: Number(seed) }) };
}
