export interface AutoscalingTimes {
  /** How often usage is looked at. */
  readonly periodMs: number;
  /** So long after a change nothing is added: new pods must first take their share of the work. */
  readonly upscaleDelayMs: number;
  /** So long after a change nothing is taken away. */
  readonly downscaleDelayMs: number;
}

/** Those of the reference. */
export const usualTimes: AutoscalingTimes = {
  periodMs: 30_000,
  upscaleDelayMs: 3 * 60_000,
  downscaleDelayMs: 5 * 60_000,
};
