import type { AddressBlock } from './address-block.ts';

/** Gives each pod of a node an address of its own. The first and the last of a block are nobody's. */
export class AddressPool {
  readonly #block: AddressBlock;
  readonly #byOwner = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 1;

  constructor(block: AddressBlock) {
    this.#block = block;
  }

  /** The address of this owner, a new one if it has none yet; empty when there are no more. */
  take(owner: string): string {
    const known = this.#byOwner.get(owner) ?? this.#findFree();
    if (known === undefined) return '';
    this.#assign(owner, known);
    return this.#block.at(known);
  }

  /** Notes that the owner has this address already. */
  keep(owner: string, address: string): void {
    const position = this.#block.positionOf(address);
    if (position !== undefined && !this.#taken.has(position)) this.#assign(owner, position);
  }

  release(owner: string): void {
    const position = this.#byOwner.get(owner);
    if (position === undefined) return;
    this.#byOwner.delete(owner);
    this.#taken.delete(position);
  }

  #assign(owner: string, position: number): void {
    this.#byOwner.set(owner, position);
    this.#taken.add(position);
  }

  /** Goes round the block, so that an address is not used again soon. */
  #findFree(): number | undefined {
    const usable = this.#block.size - 2;
    for (let tries = 0; tries < usable; tries++) {
      const position = this.#next;
      this.#next = (this.#next % usable) + 1;
      if (!this.#taken.has(position)) return position;
    }
    return undefined;
  }
}
