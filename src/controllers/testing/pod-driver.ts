import { formatTime, type Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { changeObject } from '../../client/change-object.ts';
import { nameOf } from '../../client/object-name.ts';
import type { PodCondition, PodStatus } from '../../kinds/core/pod/pod-status.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';

/** Does by hand what nodes do: moves pods on in their life. */
export class PodDriver {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #namespace: string;

  constructor({ client, clock }: { client: Client; clock: Clock }, namespace: string) {
    this.#client = client;
    this.#clock = clock;
    this.#namespace = namespace;
  }

  /** By name, those on their way out included. */
  async list(): Promise<Pod[]> {
    return (await this.#client.list(podKind, { namespace: this.#namespace })).items;
  }

  /** Runs on a node and takes requests. */
  async ready(pod: Pod): Promise<void> {
    await this.#report(pod, { phase: 'Running', conditions: [this.#readiness('True')] });
  }

  /** Runs on a node and takes no requests. */
  async unready(pod: Pod): Promise<void> {
    await this.#report(pod, { phase: 'Running', conditions: [this.#readiness('False')] });
  }

  async finish(pod: Pod, phase: 'Succeeded' | 'Failed'): Promise<void> {
    await this.#report(pod, { phase, conditions: [this.#readiness('False')] });
  }

  /** Ends what is on its way out, as the nodes do. */
  async reap(): Promise<void> {
    for (const pod of await this.list()) {
      if (pod.metadata.deletionTimestamp === undefined) continue;
      await this.#client.delete(podKind, nameOf(pod), { gracePeriodSeconds: 0 });
    }
  }

  async #report(pod: Pod, status: PodStatus): Promise<void> {
    const change = (known: Pod) => void (known.status = { ...known.status, ...status });
    try {
      if (!pod.spec.nodeName) await this.#client.bind({ pod: nameOf(pod), node: 'n1' });
      await changeObject(this.#client, { kind: podKind, name: nameOf(pod), part: 'status', change });
    } catch (error) {
      // It has gone, or is about to go, since it was listed.
      if (!isApiError(error, 404) && !isApiError(error, 409)) throw error;
    }
  }

  #readiness(status: 'True' | 'False'): PodCondition {
    return { type: 'Ready', status, lastTransitionTime: formatTime(this.#clock.now()) };
  }
}
