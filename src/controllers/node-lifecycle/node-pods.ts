import { formatTime } from '../../base/clock.ts';
import { changeObject } from '../../client/change-object.ts';
import { ifThere } from '../../client/if-there.ts';
import type { Informer } from '../../client/informer.ts';
import { nameOf } from '../../client/object-name.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { conditionOf, isReady } from '../../kinds/core/pod/pod-state.ts';
import { controllerOf } from '../../kinds/meta/controller-reference.ts';
import type { ControllerContext } from '../loop/controller.ts';
import { eachInTurn } from '../loop/each-in-turn.ts';
import { podsOnNode } from '../pods/pods-by-node.ts';
import { removePod } from '../pods/remove-pod.ts';
import { nodeReference } from './node-reference.ts';

/** What tools show of a pod whose node is lost. */
const lostReason = 'NodeLost';

/** What becomes of pods whose node fails them. */
export class NodePods {
  readonly #context: ControllerContext;
  readonly #pods: Informer<Pod>;

  constructor(context: ControllerContext, pods: Informer<Pod>) {
    this.#context = context;
    this.#pods = pods;
  }

  /** Pods of a node that nobody hears of get no requests. */
  async markUnready(node: string): Promise<void> {
    const time = formatTime(this.#context.clock.now());
    const change = (current: Pod): boolean => {
      const ready = conditionOf(current, 'Ready');
      if (ready?.status !== 'True') return false;
      ready.status = 'False';
      ready.lastTransitionTime = time;
      return true;
    };
    await eachInTurn(podsOnNode(this.#pods, node).filter(isReady), (pod) => this.#changeStatus(pod, change));
  }

  areOn(node: string): boolean {
    return podsOnNode(this.#pods, node).length > 0;
  }

  /** Whether pods of a node are on their way out. */
  anyEnds(node: string): boolean {
    return podsOnNode(this.#pods, node).some(({ metadata }) => metadata.deletionTimestamp !== undefined);
  }

  /** Deletes the pods of a node, so that whoever wants them makes others elsewhere. Says whether there were any. */
  async evict(node: string): Promise<boolean> {
    const { client, events } = this.#context;
    let deletes = false;
    await eachInTurn(podsOnNode(this.#pods, node).filter(isEvictable), async (pod) => {
      await this.#markLost(pod, node);
      if (!(await removePod(client, pod))) return;
      deletes = true;
      events.record(
        pod,
        'Normal',
        'NodeControllerEviction',
        `Marking for deletion pod ${pod.metadata.name} from node ${node}`,
      );
    });
    return deletes;
  }

  /** Removes pods whose time to end is over: nobody is there to say that they have. */
  async endOverdue(node: string): Promise<void> {
    const { client, clock, events } = this.#context;
    const isOverdue = ({ metadata: { deletionTimestamp } }: Pod): boolean =>
      deletionTimestamp !== undefined && Date.parse(deletionTimestamp) <= clock.now();
    await eachInTurn(podsOnNode(this.#pods, node).filter(isOverdue), async (pod) => {
      if (!(await removePod(client, pod, { gracePeriodSeconds: 0 }))) return;
      events.record(
        nodeReference(node),
        'Normal',
        'TerminatingEvictedPod',
        `Pod ${pod.metadata.name} is removed from node ${node}, which does not answer`,
      );
    });
  }

  /** Removes all pods of a node that is no more. */
  async removeAll(node: string): Promise<void> {
    const { client } = this.#context;
    await eachInTurn(podsOnNode(this.#pods, node), (pod) => removePod(client, pod, { gracePeriodSeconds: 0 }));
  }

  async #markLost(pod: Pod, node: string): Promise<void> {
    await this.#changeStatus(pod, ({ status, metadata }) => {
      if (status.reason === lostReason) return false;
      status.reason = lostReason;
      status.message = `Node ${node}, which ran pod ${metadata.name}, does not answer`;
      return true;
    });
  }

  async #changeStatus(pod: Pod, change: (current: Pod) => boolean): Promise<void> {
    await ifThere(
      changeObject(this.#context.client, {
        kind: podKind,
        name: nameOf(pod),
        part: 'status',
        change: (current) => current.metadata.uid === pod.metadata.uid && change(current),
      }),
    );
  }
}

/** Pods of daemon sets belong to their node, and what is on its way out is deleted already. */
function isEvictable(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && controllerOf(pod)?.kind !== 'DaemonSet';
}
