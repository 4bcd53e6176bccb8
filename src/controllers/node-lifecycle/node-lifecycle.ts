import { changeObject } from '../../client/change-object.ts';
import { ifThere } from '../../client/if-there.ts';
import type { Informer } from '../../client/informer.ts';
import { TokenBucket } from '../../client/token-bucket.ts';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import { pod as podKind } from '../../kinds/core/pod.ts';
import type { Again, Controller, ControllerContext } from '../loop/controller.ts';
import { eachInTurn } from '../loop/each-in-turn.ts';
import { startingWith, type KeySource } from '../loop/key-source.ts';
import { NodePods } from './node-pods.ts';
import { isSilent, newRecord, observe, usualTimes, type NodeRecord, type NodeTimes } from './node-records.ts';
import { nodeReference } from './node-reference.ts';
import { isGivenUp, isNodeReady, markUnknown, readyCondition } from './ready-condition.ts';

/** All nodes are looked at so often. */
const roundMs = 5000;
const everything = 'nodes';

/** Notices nodes that fail, says so, and takes their pods away when they do not come back. */
export function nodeLifecycle(times: Partial<NodeTimes> = {}): Controller {
  return {
    name: 'node-controller',
    // Tools of the reference's time know it by the name of the program that it is part of.
    reportsAs: 'controllermanager',
    parallel: 1,
    start(context) {
      const nodes = context.informers.of(nodeKind);
      const pods = new NodePods(context, context.informers.of(podKind));
      const watch = new NodeWatch({ context, nodes, pods, times: { ...usualTimes, ...times } });
      return { sources: [startingWith(everything), changesOfState(nodes)], reconcile: () => watch.round() };
    },
  };
}

/** What cannot wait for the next round: nodes that come, go or say that they are not ready. */
function changesOfState(nodes: Informer<Node>): KeySource {
  return {
    synced: nodes.synced,
    subscribe: (enqueue) =>
      nodes.on({
        added: () => enqueue(everything),
        updated(old, node) {
          if (readyCondition(old)?.status !== readyCondition(node)?.status) enqueue(everything);
        },
        deleted: () => enqueue(everything),
      }),
  };
}

interface NodeWatchParts {
  readonly context: ControllerContext;
  readonly nodes: Informer<Node>;
  readonly pods: NodePods;
  readonly times: NodeTimes;
}

/**
 * A node is ready -> unready (it says so, or is silent for too long; its pods are marked) -> evicted (after a while; its pods are deleted), and ready
 * again as soon as it says so. While no node at all is ready, it is rather the network that fails, and no pod is taken away.
 */
class NodeWatch {
  readonly #parts: NodeWatchParts;
  readonly #records = new Map<string, NodeRecord>();
  readonly #evictions: TokenBucket;
  #sawNoneReady = false;

  constructor(parts: NodeWatchParts) {
    this.#parts = parts;
    this.#evictions = new TokenBucket(parts.context.clock, { perSecond: parts.times.evictionsPerSecond, burst: 1 });
  }

  /** What cannot be written about one node, or about one of its pods, keeps no other node from being looked at. */
  async round(): Promise<Again> {
    const steps = [() => this.#forgetRemoved(), () => this.#lookAtAll(), () => this.#evictOverdue()];
    await eachInTurn(steps, (step) => step());
    return { after: roundMs };
  }

  async #forgetRemoved(): Promise<void> {
    const { nodes, pods } = this.#parts;
    const removed = [...this.#records.keys()].filter((name) => !nodes.get(name));
    await eachInTurn(removed, async (name) => {
      this.#tell(name, 'RemovingNode', `Node ${name} is removed, and its pods with it`);
      await pods.removeAll(name);
      this.#records.delete(name);
    });
  }

  #lookAtAll(): Promise<void> {
    return eachInTurn(this.#parts.nodes.list(), (node) => this.#look(node));
  }

  async #look(node: Node): Promise<void> {
    const { context, pods, times } = this.#parts;
    const { name = '' } = node.metadata;
    const now = context.clock.ticks();
    const record = this.#recordOf(node);
    observe(record, node, now);
    let seen = node;
    if (isSilent(record, node, now, times)) {
      seen = (await this.#giveUp(node)) ?? node;
      observe(record, seen, now);
      if (isGivenUp(seen)) this.#noteLoss(record, isNodeReady(node) ? name : undefined);
    }
    // As long as a node reports, it is the one who knows how its pods fare.
    if (!isGivenUp(seen) || record.podsMarked) return;
    await pods.markUnready(name);
    record.podsMarked = true;
  }

  /** `readyNode` is the name of the node if it was ready until now. */
  #noteLoss(record: NodeRecord, readyNode: string | undefined): void {
    record.unreadySince = record.heardAt;
    if (readyNode !== undefined) this.#tell(readyNode, 'NodeNotReady', `Node ${readyNode} is not ready any more`);
  }

  #tell(name: string, reason: string, message: string): void {
    this.#parts.context.events.record(nodeReference(name), 'Normal', reason, message);
  }

  #recordOf(node: Node): NodeRecord {
    const { name = '', uid } = node.metadata;
    const known = this.#records.get(name);
    if (known && known.uid === uid) return known;
    const record = newRecord(node, this.#parts.context.clock);
    this.#records.set(name, record);
    this.#tell(name, 'RegisteredNode', `Node ${name} is known from now on`);
    return record;
  }

  /** Unless the node has reported in the meantime. */
  #giveUp(node: Node): Promise<Node | undefined> {
    const { client, clock } = this.#parts.context;
    const { name = '', uid } = node.metadata;
    const heartbeat = readyCondition(node)?.lastHeartbeatTime;
    const change = (current: Node): boolean => {
      const isSame = current.metadata.uid === uid && readyCondition(current)?.lastHeartbeatTime === heartbeat;
      if (isSame) markUnknown(current, clock.now());
      return isSame;
    };
    return ifThere(changeObject(client, { kind: nodeKind, name: { name }, part: 'status', change }));
  }

  async #evictOverdue(): Promise<void> {
    const { nodes, context, times } = this.#parts;
    const now = context.clock.ticks();
    if (!nodes.list().some(isNodeReady)) {
      this.#sawNoneReady = true;
      return;
    }
    if (this.#sawNoneReady) this.#startOver(now);
    const overdue = [...this.#records].filter(
      ([, { unreadySince }]) => unreadySince !== undefined && now - unreadySince >= times.evictionMs,
    );
    await eachInTurn(overdue, ([name, record]) => this.#evict(name, record));
  }

  async #evict(name: string, record: NodeRecord): Promise<void> {
    const { pods } = this.#parts;
    if (!record.podsEvicted) {
      if (!this.#evictions.take()) return;
      if (pods.areOn(name)) this.#tell(name, 'DeletingAllPods', `All pods of node ${name} are deleted`);
      record.podsEnd = await pods.evict(name);
      record.podsEvicted = true;
    }
    await pods.endOverdue(name);
    if (!record.podsEnd || pods.anyEnds(name)) return;
    record.podsEnd = false;
    this.#tell(name, 'TerminatedAllPods', `All pods of node ${name} that were deleted are gone`);
  }

  /** Nobody was heard of, which was hardly the nodes' fault: each gets its whole time again. */
  #startOver(now: number): void {
    this.#sawNoneReady = false;
    for (const record of this.#records.values()) {
      record.heardAt = now;
      if (record.unreadySince !== undefined) record.unreadySince = now;
    }
  }
}
