/** Tries again in the next turn of the event loop until it succeeds. */
export async function untilItWorks(attempt: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await attempt();
      return;
    } catch {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }
}
