/** A map that forgets what was not used for longest when it is full. */
export class BoundedMap<K, V> {
  readonly #bound: number;
  readonly #entries = new Map<K, V>();

  constructor(bound: number) {
    this.#bound = bound;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    // The map keeps the order of insertion, so what is used moves to its end.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#bound) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
