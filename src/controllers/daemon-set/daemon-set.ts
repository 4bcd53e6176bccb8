import type { Informer } from '../../client/informer.ts';
import { keyOf } from '../../client/object-name.ts';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import { pod as podKind } from '../../kinds/core/pod.ts';
import { daemonSet as daemonSetKind, type DaemonSet } from '../../kinds/extensions/daemon-set.ts';
import type { Controller } from '../loop/controller.ts';
import { changesMapped, changesOf, type KeySource } from '../loop/key-source.ts';
import { DaemonSetSync } from './daemon-set-sync.ts';
import { isOtherFit } from './node-fit.ts';

/** Keeps one pod of each daemon set on every node that it is meant for. */
export const daemonSets: Controller = {
  name: 'daemonset-controller',
  start(context) {
    const owners = context.informers.of(daemonSetKind);
    const nodes = context.informers.of(nodeKind);
    const pods = context.informers.of(podKind);
    const sync = new DaemonSetSync({ context, owners, nodes, pods });
    return {
      sources: [changesOf(owners), changesMapped(pods, (pod) => sync.ownersOf(pod)), nodeChanges(nodes, owners)],
      reconcile: (key) => sync.reconcile(key),
    };
  },
};

/** A node that comes, goes or becomes another concerns every daemon set. */
function nodeChanges(nodes: Informer<Node>, owners: Informer<DaemonSet>): KeySource {
  return {
    synced: nodes.synced,
    subscribe(enqueue) {
      const enqueueAll = (): void => {
        for (const owner of owners.list()) enqueue(keyOf(owner));
      };
      return nodes.on({
        added: enqueueAll,
        updated(old, node) {
          if (isOtherFit(old, node)) enqueueAll();
        },
        deleted: enqueueAll,
      });
    },
  };
}
