import { usualTimes, type AutoscalingTimes } from '../controllers/autoscaling/autoscaling-times.ts';
import { duration } from './flag-values.ts';
import { flagWithDefault, type FlagValues } from './flag.ts';

const section = 'Autoscaling';
const seconds = (ms: number): string => `${ms / 1000}s`;

/** For commands that run controllers. */
export const autoscalingFlags = {
  autoscalerSyncPeriod: flagWithDefault(
    'horizontal-pod-autoscaler-sync-period',
    duration,
    seconds(usualTimes.periodMs),
    { section, help: 'How often autoscalers look at usage.' },
  ),
  autoscalerUpscaleDelay: flagWithDefault(
    'horizontal-pod-autoscaler-upscale-delay',
    duration,
    seconds(usualTimes.upscaleDelayMs),
    { section, help: 'How long after a change autoscalers add nothing.' },
  ),
  autoscalerDownscaleDelay: flagWithDefault(
    'horizontal-pod-autoscaler-downscale-delay',
    duration,
    seconds(usualTimes.downscaleDelayMs),
    { section, help: 'How long after a change autoscalers take nothing away.' },
  ),
};

export function autoscalingTimesFrom(values: FlagValues<typeof autoscalingFlags>): AutoscalingTimes {
  const { autoscalerSyncPeriod, autoscalerUpscaleDelay, autoscalerDownscaleDelay } = values;
  return {
    // Whoever asks for no pause at all would have autoscalers do nothing else.
    periodMs: Math.max(1000, autoscalerSyncPeriod),
    upscaleDelayMs: autoscalerUpscaleDelay,
    downscaleDelayMs: autoscalerDownscaleDelay,
  };
}
