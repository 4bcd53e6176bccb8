import type { Informer } from '../client/informer.ts';
import type { PodTemplateSpec } from '../kinds/core/pod-template-spec.ts';
import { pod as podKind, type Pod } from '../kinds/core/pod.ts';
import { isActive, isAvailable, isReady, millisecondsUntilAvailable } from '../kinds/core/pod/pod-state.ts';
import type { Kind } from '../kinds/kind.ts';
import type { LabelSelector } from '../kinds/meta/label-selector.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { Again, ControllerContext, RunningController } from './loop/controller.ts';
import { changesMapped, changesOf } from './loop/key-source.ts';
import { OwnWrites } from './loop/own-writes.ts';
import { claimObjects } from './ownership/claim-objects.ts';
import { claimCandidates } from './ownership/owned-index.ts';
import { ownSelectorPicks, possibleOwners } from './ownership/possible-owners.ts';
import { compareForDeletion } from './pods/deletion-order.ts';
import { podFromTemplate } from './pods/pod-from-template.ts';
import { PodWriter } from './pods/pod-writer.ts';

export interface ReplicaStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number;
}

/** What sets kinds apart that keep a number of equal pods. */
export interface ReplicaRule<T extends ApiObject> {
  readonly kind: Kind<T>;
  getReplicas(object: T): number;
  getSelector(object: T): LabelSelector | undefined;
  getTemplate(object: T): PodTemplateSpec | undefined;
  getStatus(object: T): ReplicaStatus | undefined;
  /** Seconds that a pod must be ready before it counts as available. */
  getMinReadySeconds(object: T): number;
  /** The same object with another status; the argument is left as it is. */
  withStatus(object: T, status: ReplicaStatus): T;
}

/** So many pods are made or deleted in one go; the rest follows when those are seen. */
const mostAtOnce = 500;
/** When to look again for writes of our own that no event told of. */
const unseenMs = 1000;

/** Keeps as many pods as each object of a kind asks for. */
export function startReplicaSync<T extends ApiObject>(
  rule: ReplicaRule<T>,
  context: ControllerContext,
): RunningController {
  const owners = context.informers.of(rule.kind);
  const pods = context.informers.of(podKind);
  const sync = new ReplicaSync({ rule, context, owners, pods });
  return {
    sources: [changesOf(owners), changesMapped(pods, (pod) => sync.ownersOf(pod))],
    reconcile: (key) => sync.reconcile(key),
  };
}

interface ReplicaSyncParts<T extends ApiObject> {
  readonly rule: ReplicaRule<T>;
  readonly context: ControllerContext;
  readonly owners: Informer<T>;
  readonly pods: Informer<Pod>;
}

class ReplicaSync<T extends ApiObject> {
  readonly #parts: ReplicaSyncParts<T>;
  readonly #ownWrites: OwnWrites<Pod>;
  readonly #writer: PodWriter;

  constructor(parts: ReplicaSyncParts<T>) {
    this.#parts = parts;
    this.#ownWrites = new OwnWrites(parts.pods);
    this.#writer = new PodWriter(parts.context, this.#ownWrites);
  }

  ownersOf(pod: Pod): readonly string[] {
    const { rule, owners } = this.#parts;
    return possibleOwners(pod, { informer: owners, getSelector: (owner) => rule.getSelector(owner) });
  }

  async reconcile(key: string): Promise<Again | void> {
    const owner = this.#parts.owners.get(key);
    if (!owner) return this.#ownWrites.forget(key);
    // Asked before the pods are looked at, so that they are at least as new as the answer.
    const seesOwnWrites = this.#ownWrites.areSeen(key);
    const active = (await this.#claim(owner)).filter(isActive);
    let failure: { readonly error: unknown } | undefined;
    if (seesOwnWrites && owner.metadata.deletionTimestamp === undefined) {
      // What went wrong is told after the status, which is about what is there.
      failure = await this.#adjust(owner, active).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
    }
    await this.#updateStatus(owner, active);
    if (failure) throw failure.error;
    const waits = this.#untilNextAvailable(owner, active);
    if (!seesOwnWrites) return { after: Math.min(unseenMs, waits) };
    return waits === Infinity ? undefined : { after: waits };
  }

  /** When a pod that is ready will have been so for long enough; no event tells. */
  #untilNextAvailable(owner: T, active: readonly Pod[]): number {
    const { rule, context } = this.#parts;
    const seconds = rule.getMinReadySeconds(owner);
    if (seconds === 0) return Infinity;
    const now = context.clock.now();
    const waits = active.filter(isReady).map((pod) => millisecondsUntilAvailable(pod, seconds, now));
    return Math.min(Infinity, ...waits.filter((ms) => ms > 0));
  }

  #claim(owner: T): Promise<Pod[]> {
    const { rule, context, pods } = this.#parts;
    return claimObjects({
      client: context.client,
      owner,
      ownerKind: rule.kind,
      kind: podKind,
      selects: (labels) => ownSelectorPicks(rule.getSelector(owner), labels),
      candidates: claimCandidates(pods, owner),
    });
  }

  async #adjust(owner: T, active: readonly Pod[]): Promise<void> {
    const { rule } = this.#parts;
    const surplus = active.length - rule.getReplicas(owner);
    const count = Math.min(Math.abs(surplus), mostAtOnce);
    if (surplus > 0) return this.#writer.delete(owner, active.toSorted(compareForDeletion).slice(0, count));
    const template = rule.getTemplate(owner);
    if (!template || count === 0) return;
    const pod = podFromTemplate(template, { kind: rule.kind, object: owner });
    await this.#writer.create(
      owner,
      Array.from({ length: count }, () => pod),
    );
  }

  async #updateStatus(owner: T, active: readonly Pod[]): Promise<void> {
    const { rule, context } = this.#parts;
    const wanted = Object.entries(rule.getTemplate(owner)?.metadata.labels ?? {});
    const isFullyLabeled = ({ metadata: { labels = {} } }: Pod): boolean =>
      wanted.every(([label, value]) => labels[label] === value);
    const seconds = rule.getMinReadySeconds(owner);
    const now = context.clock.now();
    const status: Required<ReplicaStatus> = {
      replicas: active.length,
      fullyLabeledReplicas: active.filter(isFullyLabeled).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter((pod) => isAvailable(pod, seconds, now)).length,
      observedGeneration: owner.metadata.generation ?? 0,
    };
    if (isSameStatus(status, rule.getStatus(owner))) return;
    await context.client.updateStatus(rule.kind, rule.withStatus(owner, status));
  }
}

/** Zero is not written, so what is absent counts as zero. */
function isSameStatus(status: Required<ReplicaStatus>, old: ReplicaStatus | undefined): boolean {
  return (Object.keys(status) as (keyof ReplicaStatus)[]).every((field) => status[field] === (old?.[field] ?? 0));
}
