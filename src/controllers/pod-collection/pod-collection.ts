import { ifThere } from '../../client/if-there.ts';
import type { Informer } from '../../client/informer.ts';
import { node as nodeKind } from '../../kinds/core/node.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { isFinished } from '../../kinds/core/pod/pod-state.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { Again, Controller, ControllerContext } from '../loop/controller.ts';
import { eachInTurn } from '../loop/each-in-turn.ts';
import { startingWith } from '../loop/key-source.ts';
import { oldestFirst } from '../oldest-first.ts';
import { removePod } from '../pods/remove-pod.ts';

export interface PodCollectionOptions {
  /** So many finished pods are kept to be looked at; 12,500 unless given, all of them when 0. */
  readonly finishedPods?: number;
}

const usualFinishedPods = 12_500;
const roundMs = 20_000;
/** A node that is not there may be about to come. */
const quarantineMs = 40_000;

/** Removes pods that nobody else would: too many finished ones, those of nodes that are not there, and those that end without ever having had a node. */
export function podCollection({ finishedPods = usualFinishedPods }: PodCollectionOptions = {}): Controller {
  return {
    name: 'pod-garbage-collector',
    parallel: 1,
    start(context) {
      const pods = context.informers.of(podKind);
      const nodes = context.informers.metadataOf(nodeKind);
      const rounds = new Rounds({ context, pods, nodes, finishedPods });
      return { sources: [startingWith('pods')], reconcile: () => rounds.round() };
    },
  };
}

interface RoundsParts {
  readonly context: ControllerContext;
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<ApiObject>;
  readonly finishedPods: number;
}

class Rounds {
  readonly #parts: RoundsParts;
  /** Since when nodes that pods name are missing, in ticks. */
  readonly #missingSince = new Map<string, number>();

  constructor(parts: RoundsParts) {
    this.#parts = parts;
  }

  async round(): Promise<Again> {
    const pods = this.#parts.pods.list();
    const searches = [() => this.#surplus(pods), () => this.#stranded(pods), () => neverPlaced(pods)];
    await eachInTurn(searches, async (search) => this.#remove(await search()));
    return { after: roundMs };
  }

  /** The oldest of the finished pods. */
  #surplus(pods: readonly Pod[]): readonly Pod[] {
    const { finishedPods } = this.#parts;
    const finished = pods.filter(isFinished);
    if (finishedPods <= 0 || finished.length <= finishedPods) return [];
    return finished.toSorted(oldestFirst).slice(0, finished.length - finishedPods);
  }

  /** Those of nodes that have been missing for a while. */
  async #stranded(pods: readonly Pod[]): Promise<readonly Pod[]> {
    const { nodes, context } = this.#parts;
    const now = context.clock.ticks();
    const named = new Set(pods.flatMap(({ spec }) => spec.nodeName || []));
    for (const name of this.#missingSince.keys()) {
      if (nodes.get(name) || !named.has(name)) this.#missingSince.delete(name);
    }
    const gone = new Set<string>();
    for (const name of named) {
      if (nodes.get(name)) continue;
      const since = this.#missingSince.get(name) ?? now;
      this.#missingSince.set(name, since);
      if (now - since >= quarantineMs && !(await this.#nodeIsThere(name))) gone.add(name);
    }
    return pods.filter(({ spec }) => spec.nodeName && gone.has(spec.nodeName));
  }

  /** Asked of the server itself, because what follows cannot be undone. */
  async #nodeIsThere(name: string): Promise<boolean> {
    return (await ifThere(this.#parts.context.client.get(nodeKind, { name }))) !== undefined;
  }

  /** A pod that cannot be removed keeps no other from being so. */
  #remove(pods: readonly Pod[]): Promise<void> {
    const { client } = this.#parts.context;
    return eachInTurn(pods, (pod) => removePod(client, pod, { gracePeriodSeconds: 0 }));
  }
}

/** Those on their way out that no node ends. */
function neverPlaced(pods: readonly Pod[]): readonly Pod[] {
  return pods.filter(({ metadata, spec }) => metadata.deletionTimestamp !== undefined && !spec.nodeName);
}
