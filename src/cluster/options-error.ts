import { OptionsError } from '../cluster-options.ts';

/** Options are read by whoever needs them; what they find wrong is the caller's mistake. */
export function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return optionsError(error);
  }
}

/** For a failure that is to be told as the caller's mistake where it is one. */
export function optionsError(cause: unknown): never {
  throw cause instanceof RangeError ? new OptionsError(cause.message, { cause }) : cause;
}
