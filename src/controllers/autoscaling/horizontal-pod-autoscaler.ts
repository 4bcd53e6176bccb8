import { isDeepStrictEqual } from 'node:util';
import type { Informer } from '../../client/informer.ts';
import { keyOf } from '../../client/object-name.ts';
import {
  horizontalPodAutoscaler as kind,
  type HorizontalPodAutoscaler,
} from '../../kinds/extensions/horizontal-pod-autoscaler.ts';
import type { Controller } from '../loop/controller.ts';
import type { KeySource } from '../loop/key-source.ts';
import { AutoscalerSync } from './autoscaler-sync.ts';
import { usualTimes, type AutoscalingTimes } from './autoscaling-times.ts';
import { measuredUsage } from './usage-source.ts';

/** Scales workloads so that their pods are as busy as they should be. */
export function podAutoscalers(times: Partial<AutoscalingTimes> = {}): Controller {
  return {
    name: 'horizontal-pod-autoscaler',
    start(context) {
      const autoscalers = context.informers.of(kind);
      const usage = measuredUsage(context.client);
      const sync = new AutoscalerSync({ context, autoscalers, usage, times: { ...usualTimes, ...times } });
      return { sources: [wishesOf(autoscalers)], reconcile: (key) => sync.reconcile(key) };
    },
  };
}

/** Every change of what is asked for. A status written after each look must not lead to the next one at once. */
function wishesOf(autoscalers: Informer<HorizontalPodAutoscaler>): KeySource {
  return {
    synced: autoscalers.synced,
    subscribe(enqueue) {
      return autoscalers.on({
        added: (autoscaler) => enqueue(keyOf(autoscaler)),
        updated(old, autoscaler) {
          if (!isDeepStrictEqual(old.spec, autoscaler.spec)) enqueue(keyOf(autoscaler));
        },
      });
    },
  };
}
