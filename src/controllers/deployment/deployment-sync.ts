import { isDeepStrictEqual } from 'node:util';
import type { Informer } from '../../client/informer.ts';
import { keyOf } from '../../client/object-name.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { isActive, isFinished, millisecondsUntilAvailable } from '../../kinds/core/pod/pod-state.ts';
import { deployment as deploymentKind, type Deployment } from '../../kinds/extensions/deployment.ts';
import { replicaSet as replicaSetKind, type ReplicaSet } from '../../kinds/extensions/replica-set.ts';
import { controllerOf, controllerUids } from '../../kinds/meta/controller-reference.ts';
import type { Again, ControllerContext } from '../loop/controller.ts';
import { OwnWrites } from '../loop/own-writes.ts';
import { claimObjects } from '../ownership/claim-objects.ts';
import { claimCandidates } from '../ownership/owned-index.ts';
import { ownSelectorPicks, possibleOwners } from '../ownership/possible-owners.ts';
import { oldestFirst } from '../oldest-first.ts';
import { deploymentConditions, timeToDeadline } from './deployment-conditions.ts';
import { countPods, emptyStatus } from './deployment-status.ts';
import { isScaled, shareScaling } from './proportional-scaling.ts';
import { ReplicaSetWriter } from './replica-set-writer.ts';
import { beyondHistory, compareByRevision } from './revisions.ts';
import { rollBack } from './rollback.ts';
import { setsOf, type Rollout } from './rollout.ts';
import { rolloutBounds, type RolloutBounds } from './rollout-bounds.ts';
import { nextSizeOfCurrent, shrinkOld } from './rolling-update.ts';
import { isObserved, setState } from './set-state.ts';
import { isSameTemplate } from '../pods/template-hash.ts';

/** When to look again for writes of our own that no event told of. */
const unseenMs = 1000;

export interface DeploymentSyncParts {
  readonly context: ControllerContext;
  readonly owners: Informer<Deployment>;
  readonly sets: Informer<ReplicaSet>;
  readonly pods: Informer<Pod>;
}

/** Takes a deployment one step further at each look. What it knows is in the API: it can be stopped and started at any point. */
export class DeploymentSync {
  readonly #parts: DeploymentSyncParts;
  readonly #ownWrites: OwnWrites<ReplicaSet>;
  readonly #writer: ReplicaSetWriter;

  constructor(parts: DeploymentSyncParts) {
    this.#parts = parts;
    this.#ownWrites = new OwnWrites(parts.sets);
    this.#writer = new ReplicaSetWriter(parts.context, this.#ownWrites);
  }

  ownersOfSet(set: ReplicaSet): readonly string[] {
    return possibleOwners(set, { informer: this.#parts.owners, getSelector: ({ spec }) => spec.selector });
  }

  ownersOfPod(pod: Pod): readonly string[] {
    const controller = controllerOf(pod);
    if (controller?.kind !== 'ReplicaSet') return [];
    const set = this.#parts.sets.get(keyOf({ namespace: pod.metadata.namespace, name: controller.name }));
    return set?.metadata.uid === controller.uid ? this.ownersOfSet(set) : [];
  }

  async reconcile(key: string): Promise<Again | void> {
    const deployment = this.#parts.owners.get(key);
    if (!deployment) return this.#ownWrites.forget(key);
    if (!this.#ownWrites.areSeen(key)) return { after: unseenMs };
    let rollout = this.#look(deployment, await this.#claim(deployment));
    let failure: { readonly error: unknown } | undefined;
    if (deployment.metadata.deletionTimestamp === undefined) {
      const goesBack = deployment.spec.rollbackTo && !deployment.spec.paused;
      // The present template is a revision of its own before it is left, or "the one before" would be one too far back.
      if (goesBack && !rollout.current) return this.#writer.create(rollout, rolloutBounds(deployment), 0);
      rollout = await this.#writer.noteRevision(rollout);
      if (goesBack) return rollBack(this.#parts.context, rollout);
      // What went wrong is told after the status, which is about what is there.
      failure = await this.#step(rollout).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
    }
    const untilDeadline = await this.#updateStatus(rollout, failure?.error);
    if (failure) throw failure.error;
    const wait = Math.min(untilDeadline, this.#untilAvailable(rollout));
    if (wait < Infinity) return { after: wait };
  }

  #claim(owner: Deployment): Promise<ReplicaSet[]> {
    const { context, sets } = this.#parts;
    return claimObjects({
      client: context.client,
      owner,
      ownerKind: deploymentKind,
      kind: replicaSetKind,
      selects: (labels) => ownSelectorPicks(owner.spec.selector, labels),
      candidates: claimCandidates(sets, owner),
    });
  }

  #look(deployment: Deployment, sets: readonly ReplicaSet[]): Rollout {
    const { minReadySeconds = 0, template } = deployment.spec;
    const availability = { minReadySeconds, now: this.#parts.context.clock.now() };
    const byAge = sets.toSorted(oldestFirst);
    const current = byAge.find((set) => isSameTemplate(set.spec.template, template));
    const old = byAge.filter((set) => set !== current).toSorted(compareByRevision);
    const stateOf = (set: ReplicaSet) => setState(set, this.#podsOf(set), availability);
    return { deployment, current: current && stateOf(current), old: old.map(stateOf) };
  }

  #podsOf({ metadata }: ReplicaSet): readonly Pod[] {
    return this.#parts.pods.index(controllerUids).get(metadata.uid ?? '');
  }

  async #step(rollout: Rollout): Promise<void> {
    const { deployment, current, old } = rollout;
    const { paused, strategy, revisionHistoryLimit } = deployment.spec;
    // Until the sets know of the step before, nobody can tell which of their pods will stay.
    if (!setsOf(rollout).every(isObserved)) return;
    const bounds = rolloutBounds(deployment);
    const recreates = strategy?.type === 'Recreate';
    if (paused || (!recreates && isScaled(rollout, bounds))) {
      await this.#writer.resize(rollout, bounds, shareScaling(rollout, bounds));
    } else if (recreates) {
      await this.#recreate(rollout, bounds);
    } else {
      await this.#growCurrent(rollout, bounds);
      await this.#writer.resize(rollout, bounds, shrinkOld(rollout, bounds));
    }
    if (current) await this.#writer.remove(deployment, beyondHistory(old, revisionHistoryLimit));
  }

  /** The old pods go first, to the last one that is on its way out; then the new ones come. */
  async #recreate(rollout: Rollout, bounds: RolloutBounds): Promise<void> {
    const { old } = rollout;
    await this.#writer.resize(
      rollout,
      bounds,
      old.map((state) => ({ state, replicas: 0 })),
    );
    const areGone = old.every((state) => state.replicas === 0 && this.#podsOf(state.set).every(isFinished));
    if (areGone) await this.#growCurrent(rollout, bounds);
  }

  async #growCurrent(rollout: Rollout, bounds: RolloutBounds): Promise<void> {
    const { current } = rollout;
    const replicas = nextSizeOfCurrent(rollout, bounds);
    if (current) await this.#writer.resize(rollout, bounds, [{ state: current, replicas }]);
    else await this.#writer.create(rollout, bounds, replicas);
  }

  /** Says how long until the rollout has failed if nothing happens. */
  async #updateStatus(rollout: Rollout, error: unknown): Promise<number> {
    const { client, clock } = this.#parts.context;
    const { deployment } = rollout;
    const counts = countPods(rollout);
    const createError = error instanceof Error && !rollout.current ? error.message : undefined;
    const view = { rollout, counts, createError, now: clock.now() };
    const conditions = deploymentConditions(view);
    const status = { ...deployment.status, ...counts, conditions };
    if (!isDeepStrictEqual(status, { ...emptyStatus, ...deployment.status })) {
      await client.updateStatus(deploymentKind, { ...deployment, status });
    }
    return timeToDeadline(conditions, view);
  }

  /** Pods become available by time alone, which no event tells. */
  #untilAvailable(rollout: Rollout): number {
    const { minReadySeconds = 0 } = rollout.deployment.spec;
    if (minReadySeconds === 0) return Infinity;
    const now = this.#parts.context.clock.now();
    const waits = setsOf(rollout)
      .flatMap(({ set }) => this.#podsOf(set).filter(isActive))
      .map((pod) => millisecondsUntilAvailable(pod, minReadySeconds, now))
      .filter((ms) => ms > 0);
    return Math.min(Infinity, ...waits);
  }
}
