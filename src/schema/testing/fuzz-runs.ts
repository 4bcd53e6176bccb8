/** What fast-check is told about a property. */
export interface FuzzRuns {
  readonly numRuns: number;
  readonly seed?: number;
  /** The failure itself stands in the report, beside the seed and the counterexample. */
  readonly includeErrorInReport: true;
}

/**
 * How often a property is tried: `usual` times, or as many times more as FUZZ_FACTOR says. FUZZ_SEED repeats a run whose failure named its
 * seed.
 */
export function fuzzRuns(usual: number): FuzzRuns {
  const factor = Number(process.env['FUZZ_FACTOR'] ?? 1);
  const seed = process.env['FUZZ_SEED'];
  const numRuns = Math.ceil(usual * factor);
  return { numRuns, includeErrorInReport: true, ...(seed === undefined ? {} : { seed: Number(seed) }) };
}
