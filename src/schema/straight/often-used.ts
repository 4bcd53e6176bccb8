/** Making a function from text pays only where it is used often: a server that just started has better things to do. */
const usesBefore = 50;

interface Use<F> {
  count: number;
  made?: F;
}

/** Makes a function for each key that turns out to be used often. */
export class OftenUsed<K extends object, F> {
  readonly #make: (key: K) => F;
  readonly #uses = new WeakMap<K, Use<F>>();
  #isForbidden = false;

  constructor(make: (key: K) => F) {
    this.#make = make;
  }

  /** Undefined as long as it is not worth it, or where functions cannot be made at all. */
  of(key: K): F | undefined {
    let use = this.#uses.get(key);
    if (!use) this.#uses.set(key, (use = { count: 0 }));
    if (use.made || use.count++ < usesBefore || this.#isForbidden) return use.made;
    try {
      use.made = this.#make(key);
    } catch (error) {
      if (!(error instanceof EvalError)) throw error;
      this.#isForbidden = true;
    }
    return use.made;
  }
}
