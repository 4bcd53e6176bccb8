const slabBytes = 64 * 1024;

/**
 * Copies many small values into few large pieces of memory: allocating one for each would take longer than copying. A piece lives
 * as long as any value in it, so this is for values that come and go together, such as those of one list.
 */
export class Slab {
  #buffer = Buffer.alloc(0);
  #used = 0;

  copy(bytes: Uint8Array): Buffer {
    const { length } = bytes;
    if (length > slabBytes / 4) return copyApart(bytes);
    if (this.#used + length > this.#buffer.length) {
      this.#buffer = Buffer.allocUnsafeSlow(slabBytes);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += length;
    // LMDB sets a length of its own on the buffer that it lends; the memory behind it is longer.
    this.#buffer.set(bytes.subarray(0, length), start);
    return this.#buffer.subarray(start, this.#used);
  }
}

/** A copy with memory of its own. */
export function copyApart(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes.subarray(0, bytes.length));
  return copy;
}
