import { isDeepStrictEqual } from 'node:util';
import type { Informer } from '../../client/informer.ts';
import type { Node } from '../../kinds/core/node.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import { isActive, isFinished, millisecondsUntilAvailable } from '../../kinds/core/pod/pod-state.ts';
import { daemonSet as daemonSetKind, type DaemonSet } from '../../kinds/extensions/daemon-set.ts';
import { isControlledBy } from '../../kinds/meta/controller-reference.ts';
import type { Again, ControllerContext } from '../loop/controller.ts';
import { OwnWrites } from '../loop/own-writes.ts';
import { claimObjects } from '../ownership/claim-objects.ts';
import { claimCandidates } from '../ownership/owned-index.ts';
import { ownSelectorPicks, possibleOwners } from '../ownership/possible-owners.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { PodWriter } from '../pods/pod-writer.ts';
import { podsOnNode } from '../pods/pods-by-node.ts';
import { hashTemplate } from '../pods/template-hash.ts';
import { daemonSetStatus, emptyStatus } from './daemon-set-status.ts';
import { isMissing, planNode, type NodePlan } from './daemon-set-plan.ts';
import { podsToReplace, revisionHashLabel } from './daemon-set-update.ts';
import { Endings } from './endings.ts';

/** When to look again for writes of our own that no event told of. */
const unseenMs = 1000;
/** As in the reference, what happens to pods is told under another name than the rest. */
const podReporter = 'daemon-set';
/** When to look again whether there is room for a pod now. */
const crowdedMs = 30_000;
/** So many pods are made or deleted in one go; the rest follows when those are seen. */
const mostAtOnce = 500;

export interface DaemonSetSyncParts {
  readonly context: ControllerContext;
  readonly owners: Informer<DaemonSet>;
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
}

/** What a pass over the nodes comes to. */
interface Decision {
  readonly create: Pod[];
  readonly remove: Pod[];
  /** In milliseconds; Infinity when only an event can change anything. */
  wait: number;
}

/** Compares what each node has with what it is to have, and makes up the difference. */
export class DaemonSetSync {
  readonly #parts: DaemonSetSyncParts;
  readonly #ownWrites: OwnWrites<Pod>;
  readonly #writer: PodWriter;
  readonly #endings: Endings;

  constructor(parts: DaemonSetSyncParts) {
    this.#parts = parts;
    this.#ownWrites = new OwnWrites(parts.pods);
    const { client, events } = parts.context;
    this.#writer = new PodWriter({ client, events: events.as(podReporter) }, this.#ownWrites);
    this.#endings = new Endings(parts.context.clock);
  }

  ownersOf(pod: Pod): readonly string[] {
    return possibleOwners(pod, { informer: this.#parts.owners, getSelector: ({ spec }) => spec.selector });
  }

  async reconcile(key: string): Promise<Again | void> {
    const owner = this.#parts.owners.get(key);
    if (!owner) {
      this.#ownWrites.forget(key);
      this.#endings.forget(key);
      return;
    }
    // Asked before the pods are looked at, so that they are at least as new as the answer.
    const seesOwnWrites = this.#ownWrites.areSeen(key);
    const byNode = groupByNode(await this.#claim(owner));
    const plans = this.#parts.nodes.list().map((node) => this.#plan(owner, node, byNode));
    let wait = seesOwnWrites ? Infinity : unseenMs;
    let failure: { readonly error: unknown } | undefined;
    if (seesOwnWrites && owner.metadata.deletionTimestamp === undefined) {
      const decision = this.#decide(key, owner, plans);
      wait = decision.wait;
      decision.remove.push(...this.#strandedPods(byNode));
      // What went wrong is told after the status, which is about what is there.
      failure = await this.#carryOut(owner, decision).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
    }
    await this.#updateStatus(owner, plans);
    if (failure) throw failure.error;
    wait = Math.min(wait, this.#untilAvailable(owner, plans));
    if (wait < Infinity) return { after: wait };
  }

  #claim(owner: DaemonSet): Promise<Pod[]> {
    const { context, pods } = this.#parts;
    return claimObjects({
      client: context.client,
      owner,
      ownerKind: daemonSetKind,
      kind: podKind,
      selects: (labels) => ownSelectorPicks(owner.spec.selector, labels),
      candidates: claimCandidates(pods, owner),
    });
  }

  #plan(owner: DaemonSet, node: Node, byNode: ReadonlyMap<string, readonly Pod[]>): NodePlan {
    const name = node.metadata.name ?? '';
    const others = (): readonly PodSpec[] =>
      podsOnNode(this.#parts.pods, name)
        .filter((pod) => !isFinished(pod) && !isControlledBy(pod, owner))
        .map(({ spec }) => spec);
    return planNode(owner.spec.template.spec, { node, own: byNode.get(name) ?? [], others });
  }

  #decide(key: string, owner: DaemonSet, plans: readonly NodePlan[]): Decision {
    const { context } = this.#parts;
    const decision: Decision = { create: [], remove: [], wait: Infinity };
    for (const plan of plans) {
      const name = plan.node.metadata.name ?? '';
      decision.remove.push(...plan.surplus);
      if (isMissing(plan)) decision.create.push(podFor(owner, name));
      if (plan.isMeant && plan.obstacle !== undefined) {
        context.events.record(owner, 'Normal', 'FailedPlacement', `Cannot put a pod on ${name}: ${plan.obstacle}`);
        decision.wait = Math.min(decision.wait, crowdedMs);
      }
      const wait = plan.ended.length > 0 ? this.#endings.waitFor(key, name) : Infinity;
      if (wait === 0) decision.remove.push(...plan.ended);
      else decision.wait = Math.min(decision.wait, wait);
    }
    decision.remove.push(...podsToReplace(owner, plans, context.clock.now()));
    return decision;
  }

  /** Pods on nodes that are not there any more; nobody else would end them. */
  #strandedPods(byNode: ReadonlyMap<string, readonly Pod[]>): Pod[] {
    const stranded = [...byNode].filter(([name]) => name !== '' && !this.#parts.nodes.get(name));
    return stranded.flatMap(([, pods]) => pods).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  async #carryOut(owner: DaemonSet, { create, remove }: Decision): Promise<void> {
    const results = await Promise.allSettled([
      this.#writer.delete(owner, [...new Set(remove)].slice(0, mostAtOnce)),
      this.#writer.create(owner, create.slice(0, mostAtOnce)),
    ]);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #updateStatus(owner: DaemonSet, plans: readonly NodePlan[]): Promise<void> {
    const { client, clock } = this.#parts.context;
    const status = daemonSetStatus(owner, plans, clock.now());
    if (isDeepStrictEqual(status, { ...emptyStatus, ...owner.status })) return;
    await client.updateStatus(daemonSetKind, { ...owner, status });
  }

  /** Pods become available by time alone, which no event tells. */
  #untilAvailable({ spec }: DaemonSet, plans: readonly NodePlan[]): number {
    const now = this.#parts.context.clock.now();
    const waits = plans
      .flatMap(({ pod }) =>
        pod && isActive(pod) ? [millisecondsUntilAvailable(pod, spec.minReadySeconds ?? 0, now)] : [],
      )
      .filter((ms) => ms > 0);
    return Math.min(Infinity, ...waits);
  }
}

function podFor(owner: DaemonSet, nodeName: string): Pod {
  const { template } = owner.spec;
  const pod = podFromTemplate(template, { kind: daemonSetKind, object: owner });
  const labels = { ...pod.metadata.labels, [revisionHashLabel]: hashTemplate(template) };
  return { ...pod, metadata: { ...pod.metadata, labels }, spec: { ...pod.spec, nodeName } };
}

function groupByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const name = pod.spec.nodeName ?? '';
    const ofNode = byNode.get(name);
    if (ofNode) ofNode.push(pod);
    else byNode.set(name, [pod]);
  }
  return byNode;
}
