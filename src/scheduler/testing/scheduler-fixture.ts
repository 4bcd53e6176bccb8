import { openClient, type ClientFixture, type ClientFixtureOptions } from '../../client/testing/client-fixture.ts';
import type { Client } from '../../client/client.ts';
import { event as eventKind, type Event } from '../../kinds/core/event.ts';
import { node as nodeKind, type Node } from '../../kinds/core/node.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import type { Registry } from '../../registry/registry.ts';
import { runScheduler, type RunSchedulerOptions, type SchedulerRun } from '../run-scheduler.ts';

export interface SchedulerFixture extends ClientFixture {
  readonly run: SchedulerRun;
  createPods(...pods: readonly Pod[]): Promise<void>;
  createNodes(...nodes: readonly Node[]): Promise<void>;
  getPod(name: string): Promise<Pod>;
  /** The node that a pod in namespace `one` has; empty when it has none. */
  nodeOf(name: string): Promise<string>;
  /** What was recorded about a pod. */
  eventsOf(name: string): Promise<Event[]>;
  /** Moves time on in small steps, and lets the scheduler finish after each. */
  pass(ms: number): Promise<void>;
}

export interface SchedulerFixtureOptions
  extends ClientFixtureOptions, Pick<RunSchedulerOptions, 'name' | 'parallelBinds'> {
  /** The client of the scheduler alone; the fixture's own when absent. */
  makeClient?(registry: Registry): Client;
}

const stepMs = 500;

/** A scheduler on the real registry in memory, in time that stands still until it is passed. */
export async function openScheduler(options: SchedulerFixtureOptions = {}): Promise<SchedulerFixture> {
  const { name, parallelBinds } = options;
  const fixture = await openClient(options);
  const { client, clock } = fixture;
  const run = runScheduler({
    ...fixture,
    client: options.makeClient?.(fixture.registry) ?? client,
    name,
    parallelBinds,
  });
  await run.started;
  const getPod = (name: string): Promise<Pod> => client.get(podKind, { namespace: 'one', name });
  return {
    ...fixture,
    run,
    async createPods(...pods) {
      await Promise.all(pods.map((pod) => client.create(podKind, pod)));
    },
    async createNodes(...nodes) {
      for (const node of nodes) await client.create(nodeKind, node);
    },
    getPod,
    nodeOf: async (name) => (await getPod(name)).spec.nodeName ?? '',
    async eventsOf(name) {
      const { items } = await client.list(eventKind, { namespace: 'one' });
      return items.filter(({ involvedObject }) => involvedObject.name === name);
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.step(Math.min(left, stepMs));
        await run.settled();
      }
    },
    async close() {
      await run.close();
      await fixture.close();
    },
  };
}
