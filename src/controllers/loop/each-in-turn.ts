/** Does work for one item after the other. One that fails keeps no other from its turn; the first failure is thrown in the end. */
export async function eachInTurn<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
}
