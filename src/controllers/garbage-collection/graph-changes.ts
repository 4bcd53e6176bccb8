import { isDeepStrictEqual } from 'node:util';
import type { Informer } from '../../client/informer.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { KeySource } from '../loop/key-source.ts';
import { objectKeyOf } from './object-key.ts';
import { isDeletedInForeground, type GraphObject, type ObjectGraph } from './object-graph.ts';

/**
 * Looks at objects whose place in the graph has changed: at an object itself, at what belonged to one that is gone, and at owners that wait for
 * their last dependents to go.
 */
export function graphChanges(graph: ObjectGraph, onGone: (gone: GraphObject) => void): readonly KeySource[] {
  // Before all copies are complete, an owner that is not known yet would look like one that is not there.
  const synced = Promise.all(graph.informers.map((informer) => informer.synced)).then(() => {});
  synced.catch(() => {});
  return graph.informers.map((informer) => changesOfOne({ graph, informer, synced, onGone }));
}

interface Parts {
  readonly graph: ObjectGraph;
  readonly informer: Informer<ApiObject>;
  readonly synced: Promise<void>;
  readonly onGone: (gone: GraphObject) => void;
}

function changesOfOne({ graph, informer, synced, onGone }: Parts): KeySource {
  const { kind } = informer;
  return {
    synced,
    subscribe(enqueue) {
      const look = (each: GraphObject): void => enqueue(objectKeyOf(each.kind, each.object));
      const lookAtWaitingOwners = (object: ApiObject): void => {
        for (const reference of object.metadata.ownerReferences ?? []) {
          const owner = graph.ownerOf(reference, { kind, object });
          if (owner && isDeletedInForeground(owner.object)) look(owner);
        }
      };
      const onChange = (object: ApiObject): void => {
        if (concernsCollection(object)) look({ kind, object });
        lookAtWaitingOwners(object);
      };
      return informer.on({
        added: onChange,
        updated(old, object) {
          if (isSamePlace(old, object)) return;
          lookAtWaitingOwners(old);
          onChange(object);
        },
        deleted(object) {
          onGone({ kind, object });
          graph.dependentsOf(object).forEach(look);
          lookAtWaitingOwners(object);
        },
      });
    },
  };
}

function concernsCollection({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined || (metadata.ownerReferences ?? []).length > 0;
}

function isSamePlace({ metadata: a }: ApiObject, { metadata: b }: ApiObject): boolean {
  return (
    a.deletionTimestamp === b.deletionTimestamp &&
    isDeepStrictEqual(a.ownerReferences, b.ownerReferences) &&
    isDeepStrictEqual(a.finalizers, b.finalizers)
  );
}
