/** Sees to it that the machine has the addresses of services. */
export interface AddressManager {
  /** Resolves when ports can be opened on the address; rejects with a `BindProblem` otherwise. */
  hold(address: string): Promise<void>;
  /** The address is no longer needed. Never rejects. */
  release(address: string): Promise<void>;
}
