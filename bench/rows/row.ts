import type { Figure } from '../figure.ts';
import type { BenchOptions } from '../options.ts';

/** A part of the bench that can be asked for by name. */
export interface Row {
  readonly name: string;
  readonly about: string;
  run(options: BenchOptions): Promise<readonly Figure[]>;
}
