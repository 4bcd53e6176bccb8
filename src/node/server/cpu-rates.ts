/** How much processor time something has used, up to a moment. */
export interface CpuSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly cpuNanos: number;
}

export interface CpuRate {
  /** Billionths of a processor. */
  readonly nanoCores: number;
  readonly windowMs: number;
}

/** Rates are taken over this much time, and up to twice as much, once something has been there for so long. */
export const rateWindowMs = 10_000;
/** Rates over less time than this tell more about chance than about what is measured. */
const shortestMs = 1000;
const nanosPerMs = 1e6;

/**
 * Makes rates out of counters that are read every now and then. Of each counter the readings are remembered that lie a window apart, so that it does not
 * matter how often, nor by how many, it is read.
 */
export class CpuRates {
  #marks = new Map<string, readonly CpuSample[]>();

  /**
   * Takes a reading, and gives the rate up to it; nothing as long as there is no other to compare it with. A counter that began a short time ago at zero
   * says when.
   */
  add(id: string, sample: CpuSample, begunAt = -Infinity): CpuRate | undefined {
    const isYoung = sample.at - begunAt <= 2 * rateWindowMs;
    const marks = this.#marks.get(id) ?? (isYoung ? [{ at: begunAt, cpuNanos: 0 }] : []);
    const isOld = ({ at }: CpuSample): boolean => sample.at - at >= rateWindowMs;
    const base = marks.findLast(isOld) ?? marks[0];
    const newest = marks.at(-1);
    this.#marks.set(id, !newest || isOld(newest) ? [...marks.slice(-1), sample] : marks);
    return base && rateBetween(base, sample);
  }

  /** Remembers only these. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#marks.keys()) if (!ids.has(id)) this.#marks.delete(id);
  }
}

/** A counter that has gone back lost processes that nobody waited for: how much they had used is not known any more. */
function rateBetween(base: CpuSample, { at, cpuNanos }: CpuSample): CpuRate | undefined {
  const windowMs = at - base.at;
  if (windowMs < shortestMs) return undefined;
  const used = Math.max(0, cpuNanos - base.cpuNanos);
  return { windowMs, nanoCores: Math.round((used * 1e9) / (windowMs * nanosPerMs)) };
}
