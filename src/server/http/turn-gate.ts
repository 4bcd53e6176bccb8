/**
 * Lets everybody who waits go on together, at the end of the turn of the event loop. From there they go through the same steps side by side, one step of all
 * before the next step of any: code that has just run for one request is at hand for the others, which takes a good part off each.
 */
export class TurnGate {
  #waiting: (() => void)[] = [];

  wait(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#open());
    });
  }

  #open(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) goOn();
  }
}
