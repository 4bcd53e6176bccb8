import { kinds } from '../../kinds/index.ts';
import type { Controller } from '../loop/controller.ts';
import { Collector } from './collector.ts';
import { graphChanges } from './graph-changes.ts';
import { ObjectGraph } from './object-graph.ts';

/**
 * Deletes what belongs to objects that are gone, and finishes deletions in the foreground and those that leave everything behind. Owners are told by
 * uid. What goes by itself after a time (events) is left to do so.
 */
export const garbageCollection: Controller = {
  name: 'garbage-collector',
  parallel: 20,
  start(context) {
    const collected = kinds.filter(({ lifetimeSeconds }) => lifetimeSeconds === undefined);
    const graph = new ObjectGraph(collected, context.informers);
    const collector = new Collector({ client: context.client, logger: context.logger, graph });
    return {
      sources: graphChanges(graph, (gone) => collector.noteGone(gone)),
      reconcile: (key) => collector.collect(key),
    };
  },
};
