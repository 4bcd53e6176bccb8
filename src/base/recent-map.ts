/**
 * A map that forgets what was not used lately when its values weigh too much. It keeps two generations and drops the older one as a whole, so that using
 * an entry moves it only once a generation.
 */
export class RecentMap<K, V> {
  readonly #weightOf: (value: V) => number;
  readonly #mostPerGeneration: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #youngWeight = 0;

  constructor({ most, weightOf }: { readonly most: number; readonly weightOf: (value: V) => number }) {
    this.#mostPerGeneration = most / 2;
    this.#weightOf = weightOf;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined || this.#old.size === 0) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** A value that alone weighs too much is not kept. */
  set(key: K, value: V): void {
    const weight = this.#weightOf(value);
    this.delete(key);
    if (weight > this.#mostPerGeneration) return;
    if (this.#youngWeight + weight > this.#mostPerGeneration) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngWeight = 0;
    }
    this.#young.set(key, value);
    this.#youngWeight += weight;
  }

  delete(key: K): void {
    const young = this.#young.get(key);
    if (young !== undefined) {
      this.#young.delete(key);
      this.#youngWeight -= this.#weightOf(young);
    }
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngWeight = 0;
  }
}
