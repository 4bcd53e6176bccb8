const maxRemembered = 256;

/** The place where a part of a list ended. */
export interface Continuation {
  readonly prefix: string;
  readonly revision: number;
  readonly after: string;
}

/** How many entries follow behind the ends of recent parts of lists, so that the part that continues one need not count them again. */
export class Continuations {
  readonly #remaining = new Map<string, number>();

  remember(place: Continuation, remaining: number): void {
    this.#remaining.set(nameOf(place), remaining);
    if (this.#remaining.size <= maxRemembered) return;
    const [oldest] = this.#remaining.keys();
    this.#remaining.delete(oldest!);
  }

  recall(place: Continuation): number | undefined {
    return this.#remaining.get(nameOf(place));
  }
}

function nameOf({ prefix, revision, after }: Continuation): string {
  return JSON.stringify([revision, prefix, after]);
}
