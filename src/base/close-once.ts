export interface CloseOnceOptions {
  /** Closes, too, when it is aborted. */
  readonly signal?: AbortSignal;
  /** Called when it fails on behalf of the signal: nobody else hears of it then. */
  readonly onFailure: (error: unknown) => void;
}

/** A function that ends something once, however often and by whomever it is asked to; all get the same promise. The first says how. */
export function closeOnce<How = void>(
  end: (how?: How) => Promise<void>,
  { signal, onFailure }: CloseOnceOptions,
): (how?: How) => Promise<void> {
  let closing: Promise<void> | undefined;
  function close(how?: How): Promise<void> {
    signal?.removeEventListener('abort', onAbort);
    closing ??= end(how);
    return closing;
  }
  function onAbort(): void {
    close().catch(onFailure);
  }
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return close;
}
