import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '../../base/clock.ts';
import { changeObject } from '../../client/change-object.ts';
import { ifThere } from '../../client/if-there.ts';
import type { Informer } from '../../client/informer.ts';
import { nameOf, type ObjectName } from '../../client/object-name.ts';
import { pod as podKind } from '../../kinds/core/pod.ts';
import {
  horizontalPodAutoscaler as autoscalerKind,
  type HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerStatus,
} from '../../kinds/extensions/horizontal-pod-autoscaler.ts';
import type { Scale } from '../../kinds/extensions/scale.ts';
import { kinds } from '../../kinds/index.ts';
import type { Kind } from '../../kinds/kind.ts';
import { ApiError } from '../../kinds/meta/api-error.ts';
import type { Again, ControllerContext } from '../loop/controller.ts';
import type { AutoscalingTimes } from './autoscaling-times.ts';
import { measureCpu, type Utilization } from './cpu-utilization.ts';
import { MeasurementError } from './measurement-error.ts';
import { decideByBounds, decideByUsage, mayScale, type ScaleDecision } from './scale-decision.ts';
import type { UsageSource } from './usage-source.ts';

export interface AutoscalerSyncParts {
  readonly context: ControllerContext;
  readonly autoscalers: Informer<HorizontalPodAutoscaler>;
  readonly usage: UsageSource;
  readonly times: AutoscalingTimes;
}

/** What an autoscaler scales. */
interface Target {
  readonly kind: Kind;
  readonly name: ObjectName;
  readonly scale: Scale;
  /** How many pods it is to have now. */
  readonly current: number;
}

/** What came out of looking at usage. */
interface Finding extends Partial<ScaleDecision> {
  readonly utilization?: Utilization;
}

/** Looks at usage from time to time and scales workloads through their `/scale`. */
export class AutoscalerSync {
  readonly #parts: AutoscalerSyncParts;

  constructor(parts: AutoscalerSyncParts) {
    this.#parts = parts;
  }

  async reconcile(key: string): Promise<Again | void> {
    const autoscaler = this.#parts.autoscalers.get(key);
    if (!autoscaler || autoscaler.metadata.deletionTimestamp !== undefined) return;
    const target = await this.#target(autoscaler);
    if (target) await this.#scale(autoscaler, target);
    return { after: this.#parts.times.periodMs };
  }

  async #target(autoscaler: HorizontalPodAutoscaler): Promise<Target | undefined> {
    const { scaleRef } = autoscaler.spec;
    const kind = kinds.find((each) => each.kind === scaleRef.kind && each.scale);
    const name = { namespace: autoscaler.metadata.namespace, name: scaleRef.name };
    if (!kind) {
      this.#warn(autoscaler, 'FailedGetScale', `${scaleRef.kind} is no kind that can be scaled`);
      return undefined;
    }
    try {
      const scale = await this.#parts.context.client.getScale(kind, name);
      return { kind, name, scale, current: scale.spec.replicas ?? 0 };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#warn(autoscaler, 'FailedGetScale', error.message);
      return undefined;
    }
  }

  async #scale(autoscaler: HorizontalPodAutoscaler, target: Target): Promise<void> {
    const { current, scale } = target;
    const { context, times } = this.#parts;
    const now = context.clock.now();
    const currentReplicas = scale.status?.replicas ?? 0;
    const finding = await this.#look(autoscaler, target);
    // Of what was not found out the last that was known stays.
    if (!finding) return this.#updateStatus(autoscaler, { ...knownStatus(autoscaler), currentReplicas });
    const { replicas = current, reason = '', utilization } = finding;
    const scales = mayScale(autoscaler, { current, wanted: replicas, now, times });
    if (scales) await this.#rescale(autoscaler, target, { replicas, reason });
    await this.#updateStatus(autoscaler, {
      currentReplicas,
      desiredReplicas: scales ? replicas : current,
      lastScaleTime: scales ? formatTime(now) : autoscaler.status?.lastScaleTime,
      currentCPUUtilizationPercentage: utilization?.percentage,
    });
  }

  /** Nothing when usage is not known. */
  async #look(autoscaler: HorizontalPodAutoscaler, { current, scale }: Target): Promise<Finding | undefined> {
    // Whoever scales to nothing means it: there is no usage by which it could ever be undone.
    if (current === 0) return {};
    const byBounds = decideByBounds(autoscaler, current);
    if (byBounds) return byBounds;
    const { client } = this.#parts.context;
    try {
      const selection = { namespace: autoscaler.metadata.namespace, labels: scale.status?.targetSelector ?? '' };
      const { items } = await client.list(podKind, selection);
      const utilization = await measureCpu(items, this.#parts.usage, selection);
      return { ...decideByUsage(autoscaler, current, utilization), utilization };
    } catch (error) {
      if (!(error instanceof MeasurementError)) throw error;
      const message = `Failed to get CPU consumption and request: ${error.message}`;
      this.#warn(autoscaler, 'FailedGetMetrics', message);
      this.#warn(autoscaler, 'FailedComputeReplicas', message);
      return undefined;
    }
  }

  async #rescale(autoscaler: HorizontalPodAutoscaler, target: Target, decision: ScaleDecision): Promise<void> {
    const { client, events } = this.#parts.context;
    const { replicas, reason } = decision;
    const message = `New size: ${replicas}; reason: ${reason}`;
    try {
      const { kind, name, scale } = target;
      await client.updateScale(kind, name, { ...scale, spec: { ...scale.spec, replicas } });
    } catch (error) {
      // With 409 somebody else changed the workload in between: it is looked at anew.
      if (error instanceof ApiError && error.code !== 409) {
        this.#warn(autoscaler, 'FailedRescale', `${message}; error: ${error.message}`);
      }
      throw error;
    }
    events.record(autoscaler, 'Normal', 'SuccessfulRescale', message);
  }

  async #updateStatus(autoscaler: HorizontalPodAutoscaler, status: HorizontalPodAutoscalerStatus): Promise<void> {
    if (isDeepStrictEqual(status, knownStatus(autoscaler))) return;
    const { uid } = autoscaler.metadata;
    // Into whatever the autoscaler is by now: when it last scaled must not be forgotten because somebody changed it meanwhile.
    const change = (current: HorizontalPodAutoscaler): boolean => {
      if (current.metadata.uid !== uid) return false;
      current.status = status;
      return true;
    };
    const { client } = this.#parts.context;
    await ifThere(changeObject(client, { kind: autoscalerKind, name: nameOf(autoscaler), part: 'status', change }));
  }

  #warn(autoscaler: HorizontalPodAutoscaler, reason: string, message: string): void {
    this.#parts.context.events.record(autoscaler, 'Warning', reason, message);
  }
}

/** What a status says, also where it says nothing. */
function knownStatus({ status }: HorizontalPodAutoscaler): HorizontalPodAutoscalerStatus {
  return {
    lastScaleTime: undefined,
    currentCPUUtilizationPercentage: undefined,
    currentReplicas: 0,
    desiredReplicas: 0,
    ...status,
  };
}
