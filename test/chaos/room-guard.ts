import type { Client, WatchHandle } from '../../src/client/client.ts';
import { keyOf } from '../../src/client/object-name.ts';
import { node as nodeKind, type Node } from '../../src/kinds/core/node.ts';
import { pod as podKind, type Pod } from '../../src/kinds/core/pod.ts';
import { isFinished } from '../../src/kinds/core/pod/pod-state.ts';
import { milliUnits, wholeUnits } from '../../src/kinds/core/resource-amounts.ts';

/** Watches all pods and nodes, and notes every pod that is put on a node without room for it, or moved to another one. */
export class RoomGuard {
  readonly violations: string[] = [];
  readonly #nodes = new Map<string, Node>();
  /** Where each pod is. */
  readonly #places = new Map<string, Pod>();
  readonly #handles: WatchHandle[] = [];

  static async open(client: Client): Promise<RoomGuard> {
    const guard = new RoomGuard();
    const { resourceVersion } = await client.list(podKind);
    const onEnd = (error?: Error) => void (error && guard.violations.push(`the watch ended: ${error.message}`));
    guard.#handles.push(
      await client.watch(
        nodeKind,
        { resourceVersion },
        { onEvent: ({ object }) => guard.#nodes.set(keyOf(object), object), onEnd },
      ),
      await client.watch(
        podKind,
        { resourceVersion },
        { onEvent: ({ type, object }) => guard.#see(object, type === 'DELETED'), onEnd },
      ),
    );
    return guard;
  }

  close(): void {
    for (const handle of this.#handles) handle.close();
  }

  /** How many pods each node has. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { spec } of this.#places.values()) counts.set(spec.nodeName!, (counts.get(spec.nodeName!) ?? 0) + 1);
    return counts;
  }

  #see(pod: Pod, isGone: boolean): void {
    const key = `${keyOf(pod)}/${pod.metadata.uid}`;
    const before = this.#places.get(key);
    const { nodeName } = pod.spec;
    if (isGone || isFinished(pod)) {
      this.#places.delete(key);
      return;
    }
    if (before && before.spec.nodeName !== nodeName) this.violations.push(`${key} was moved to ${nodeName}`);
    if (before || !nodeName) return;
    this.#places.set(key, pod);
    this.#check(nodeName);
  }

  #check(nodeName: string): void {
    const { cpu, memory, pods } = this.#nodes.get(nodeName)?.status.allocatable ?? {};
    const there = [...this.#places.values()].filter(({ spec }) => spec.nodeName === nodeName);
    const containers = there.flatMap(({ spec }) => spec.containers);
    const asked = (resource: string) => containers.map(({ resources }) => resources?.requests?.[resource]);
    const used = [sum(asked('cpu').map(milliUnits)), sum(asked('memory').map(wholeUnits)), there.length];
    const offered = [milliUnits(cpu), wholeUnits(memory), wholeUnits(pods)];
    if (used.some((amount, i) => amount > offered[i]!)) {
      this.violations.push(`${nodeName} has ${offered.join(', ')} and is to give ${used.join(', ')}`);
    }
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
