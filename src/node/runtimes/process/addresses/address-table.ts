import { readFileIfThere, replacePrivateFile } from '../../../../base/private-file.ts';
import type { AddressBlock } from '../../../simulated/address-block.ts';
import { AddressPool } from '../../../simulated/address-pool.ts';

/** Which pod has which address, kept in a file: pods keep their addresses when the agent starts anew. Whoever opens it holds the directory's lock. */
export class AddressTable {
  readonly #path: string;
  readonly #pool: AddressPool;
  readonly #claims: Map<string, string>;
  #saved: Promise<void> = Promise.resolve();

  private constructor(path: string, pool: AddressPool, claims: Map<string, string>) {
    this.#path = path;
    this.#claims = claims;
    this.#pool = pool;
    for (const [owner, address] of claims) pool.keep(owner, address);
  }

  /** Addresses of the block that are `reserved` are nobody's. */
  static async open(path: string, block: AddressBlock, reserved: readonly string[] = []): Promise<AddressTable> {
    const text = await readFileIfThere(path);
    const claims = text === undefined ? {} : (JSON.parse(text) as Record<string, string>);
    const pool = new AddressPool(block);
    for (const address of reserved) pool.keep(`reserved ${address}`, address);
    return new AddressTable(path, pool, new Map(Object.entries(claims)));
  }

  /** The address of an owner, on disk before it is given; nothing when there are no more. */
  async claim(owner: string): Promise<string | undefined> {
    const known = this.#claims.get(owner);
    if (known !== undefined) return known;
    const address = this.#pool.take(owner);
    if (address === '') return undefined;
    this.#claims.set(owner, address);
    try {
      await this.#save();
    } catch (error) {
      this.#claims.delete(owner);
      this.#pool.release(owner);
      throw error;
    }
    return address;
  }

  /** The address that an owner has; nothing when it has none. */
  find(owner: string): string | undefined {
    return this.#claims.get(owner);
  }

  /** Everybody who has an address. */
  owners(): readonly string[] {
    return [...this.#claims.keys()];
  }

  async release(owner: string): Promise<void> {
    this.#pool.release(owner);
    if (this.#claims.delete(owner)) await this.#save();
  }

  #save(): Promise<void> {
    const save = this.#saved.then(() =>
      replacePrivateFile(this.#path, JSON.stringify(Object.fromEntries(this.#claims))),
    );
    // One that failed says so to its caller; the next one writes everything again.
    this.#saved = save.catch(() => {});
    return save;
  }
}
