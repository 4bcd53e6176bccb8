import { isDeepStrictEqual } from 'node:util';
import { keyOf, nameOf } from '../../client/object-name.ts';
import { deployment as deploymentKind, type Deployment } from '../../kinds/extensions/deployment.ts';
import { replicaSet as replicaSetKind, type ReplicaSet } from '../../kinds/extensions/replica-set.ts';
import { ApiError, isApiError } from '../../kinds/meta/api-error.ts';
import { controllerOf } from '../../kinds/meta/controller-reference.ts';
import { selectsLabels } from '../../kinds/meta/label-selector.ts';
import type { ControllerContext } from '../loop/controller.ts';
import type { OwnWrites } from '../loop/own-writes.ts';
import {
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  newSetAnnotations,
  revisionAnnotation,
  revisionOf,
} from './deployment-annotations.ts';
import { newReplicaSet } from './new-replica-set.ts';
import { highestRevision } from './revisions.ts';
import type { Rollout } from './rollout.ts';
import type { RolloutBounds } from './rollout-bounds.ts';
import type { SizeChange } from './rolling-update.ts';
import { isSameTemplate } from '../pods/template-hash.ts';

/** So many names in a row that other replica sets have mean that something else is wrong. */
const mostAttempts = 10;

/** Makes, scales and removes the replica sets of deployments. Every write is refused when the set was changed since it was looked at. */
export class ReplicaSetWriter {
  readonly #context: ControllerContext;
  readonly #ownWrites: OwnWrites<ReplicaSet>;

  constructor(context: ControllerContext, ownWrites: OwnWrites<ReplicaSet>) {
    this.#context = context;
    this.#ownWrites = ownWrites;
  }

  /** Hands the revision and what the deployment says on to the present replica set, and writes the revision to the deployment. */
  async noteRevision(rollout: Rollout): Promise<Rollout> {
    const { current } = rollout;
    if (!current) return rollout;
    const revision = nextRevision(rollout);
    const set = await this.#annotate(rollout.deployment, current.set, revision);
    const deployment = await this.#annotateDeployment(rollout.deployment, revision);
    return { ...rollout, deployment, current: { ...current, set } };
  }

  async #annotate(deployment: Deployment, set: ReplicaSet, revision: number): Promise<ReplicaSet> {
    const annotations = newSetAnnotations(deployment, set, revision);
    const { minReadySeconds } = deployment.spec;
    const isNoted = isDeepStrictEqual(annotations, set.metadata.annotations);
    if (isNoted && set.spec.minReadySeconds === minReadySeconds) return set;
    const spec = { ...set.spec, minReadySeconds };
    return this.#update(deployment, { ...set, metadata: { ...set.metadata, annotations }, spec });
  }

  async #annotateDeployment(deployment: Deployment, revision: number): Promise<Deployment> {
    if (revisionOf(deployment) === revision) return deployment;
    const annotations = { ...deployment.metadata.annotations, [revisionAnnotation]: String(revision) };
    const metadata = { ...deployment.metadata, annotations };
    return this.#context.client.update(deploymentKind, { ...deployment, metadata });
  }

  /** Makes the replica set of the present template. */
  async create(rollout: Rollout, bounds: RolloutBounds, replicas: number): Promise<void> {
    const { deployment } = rollout;
    const { client, events } = this.#context;
    const revision = newSetAnnotations(deployment, undefined, nextRevision(rollout));
    const annotations = { ...revision, ...boundsAnnotations(bounds) };
    try {
      for (let attempt = 0; ; attempt++) {
        const wanted = newReplicaSet(deployment, { replicas, annotations, attempt });
        try {
          const set = await client.create(replicaSetKind, wanted);
          this.#ownWrites.wrote(keyOf(deployment), set);
          if (replicas > 0) this.#tell(deployment, set, 'up');
          return;
        } catch (error) {
          if (!isApiError(error, 409) || attempt === mostAttempts) throw error;
          if (await this.#isThereAlready(deployment, wanted)) return;
        }
      }
    } catch (error) {
      if (error instanceof ApiError) {
        const message = `Failed to create a replica set: ${error.message}`;
        events.record(deployment, 'Warning', 'ReplicaSetCreateError', message);
      }
      throw error;
    }
  }

  /** Whether the name is taken by the very set that is wanted, which the informer does not know of yet. */
  async #isThereAlready(deployment: Deployment, wanted: ReplicaSet): Promise<boolean> {
    const set = await this.#context.client.get(replicaSetKind, nameOf(wanted));
    const controller = controllerOf(set);
    const isOurs = controller
      ? controller.uid === deployment.metadata.uid
      : selectsLabels(deployment.spec.selector, set.metadata.labels);
    if (!isOurs || !isSameTemplate(set.spec.template, wanted.spec.template)) return false;
    this.#ownWrites.wrote(keyOf(deployment), set);
    return true;
  }

  /** Gives replica sets new sizes, and notes in those with pods between which bounds that was. */
  async resize({ deployment }: Rollout, bounds: RolloutBounds, changes: readonly SizeChange[]): Promise<void> {
    for (const { state, replicas } of changes) {
      if (replicas === 0 && state.replicas === 0) continue;
      const { set } = state;
      const annotations = { ...set.metadata.annotations, ...boundsAnnotations(bounds) };
      if (replicas === state.replicas && isDeepStrictEqual(annotations, set.metadata.annotations)) continue;
      const changed = { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } };
      const written = await this.#update(deployment, changed);
      if (replicas !== state.replicas) this.#tell(deployment, written, replicas > state.replicas ? 'up' : 'down');
    }
  }

  /** Removes replica sets without pods. */
  async remove(deployment: Deployment, sets: readonly ReplicaSet[]): Promise<void> {
    for (const set of sets) {
      try {
        await this.#context.client.delete(replicaSetKind, nameOf(set), { preconditions: { uid: set.metadata.uid } });
      } catch (error) {
        // Somebody else removed it, which is as good; another set of that name is none of ours.
        if (!isApiError(error, 404) && !isApiError(error, 409)) throw error;
      }
      this.#ownWrites.deleted(keyOf(deployment), set);
    }
  }

  async #update(deployment: Deployment, set: ReplicaSet): Promise<ReplicaSet> {
    const written = await this.#context.client.update(replicaSetKind, set);
    this.#ownWrites.wrote(keyOf(deployment), written);
    return written;
  }

  #tell(deployment: Deployment, { metadata, spec }: ReplicaSet, direction: 'up' | 'down'): void {
    const message = `Scaled ${direction} replica set ${metadata.name} to ${spec.replicas}`;
    this.#context.events.record(deployment, 'Normal', 'ScalingReplicaSet', message);
  }
}

/** One more than all others; a set that has a higher one keeps it. */
function nextRevision({ current, old }: Rollout): number {
  const beyondOld = highestRevision(old.map(({ set }) => set)) + 1;
  return current ? Math.max(revisionOf(current.set), beyondOld) : beyondOld;
}

function boundsAnnotations({ desired, most }: RolloutBounds): Record<string, string> {
  return { [desiredReplicasAnnotation]: String(desired), [maxReplicasAnnotation]: String(most) };
}
