/** Something that works when there is work. */
export interface Settling {
  /** Whether there is something left to do at this moment. What is due later does not count. */
  readonly isBusy: boolean;
  /** Resolves when there is not. */
  settled(): Promise<void>;
}

/** Resolves when none of the parts has anything left to do, however often they give each other work on the way. */
export async function allSettled(parts: readonly Settling[]): Promise<void> {
  do {
    for (const part of parts) await part.settled();
  } while (parts.some(({ isBusy }) => isBusy));
}
