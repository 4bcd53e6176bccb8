import { openClient, type ClientFixture } from '../../../client/testing/client-fixture.ts';
import { pod as podKind, type Pod } from '../../../kinds/core/pod.ts';
import type { PodSpec } from '../../../kinds/core/pod/pod-spec.ts';
import { isReady } from '../../../kinds/core/pod/pod-state.ts';
import type { ObjectMeta } from '../../../kinds/meta/object-meta.ts';
import {
  nodeNames,
  runSimulatedNodes,
  type RunSimulatedNodesOptions,
  type SimulatedNodesRun,
} from '../run-simulated-nodes.ts';

export interface NodesFixture extends ClientFixture {
  run: SimulatedNodesRun;
  /** Creates a pod in namespace `one` on node-1, unless it says otherwise. */
  createPod(name: string, annotations?: Record<string, string>, parts?: PodParts): Promise<void>;
  getPod(name: string): Promise<Pod>;
  /** `Running ready`, `Running`, `Pending` and so on; of the pod `web` unless it is another. */
  stateOf(name?: string): Promise<string>;
  /** Moves time on in small steps, and lets the nodes finish after each. */
  pass(ms: number): Promise<void>;
  /** Starts the nodes again, as another process would. */
  restart(options?: Partial<RunSimulatedNodesOptions>): Promise<void>;
}

export interface PodParts extends Partial<PodSpec> {
  readonly metadata?: Partial<ObjectMeta>;
}

const stepMs = 500;

/** Simulated nodes on the real registry in memory, in time that stands still until it is passed. */
export async function openNodes(options: Partial<RunSimulatedNodesOptions> = {}): Promise<NodesFixture> {
  const client = await openClient();
  const open = async (options: Partial<RunSimulatedNodesOptions>): Promise<SimulatedNodesRun> => {
    const run = runSimulatedNodes({ ...client, names: nodeNames(1), ...options });
    await run.settled();
    return run;
  };
  const fixture: NodesFixture = {
    ...client,
    run: await open(options),
    async createPod(name, annotations, { metadata, ...spec } = {}) {
      await client.client.create(podKind, {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name, namespace: 'one', annotations, ...metadata },
        spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'image' }], ...spec },
        status: {},
      });
      await fixture.run.settled();
    },
    getPod: (name) => client.client.get(podKind, { namespace: 'one', name }),
    async stateOf(name = 'web') {
      const pod = await fixture.getPod(name);
      return isReady(pod) ? `${pod.status.phase} ready` : (pod.status.phase ?? '');
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= stepMs) {
        client.clock.step(Math.min(left, stepMs));
        await fixture.run.settled();
      }
    },
    async restart(again = {}) {
      await fixture.run.close();
      fixture.run = await open({ ...options, ...again });
    },
    async close() {
      await fixture.run.close();
      await client.close();
    },
  };
  return fixture;
}
