import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { openClient, type ClientFixture } from '../../client/testing/client-fixture.ts';
import { event as eventKind } from '../../kinds/core/event.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import type { ContainerStatus } from '../../kinds/core/pod/container-status.ts';
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import { isReady } from '../../kinds/core/pod/pod-state.ts';
import { isApiError } from '../../kinds/meta/api-error.ts';
import type { NodeAgentRun, RunNodeAgentOptions } from '../agent/node-agent.ts';
import { runNodeAgent } from '../agent/run-node-agent.ts';
import { makeNodeCertificates, type NodeCertificates } from './node-certificates.ts';
import type { NodeConnection } from './node-connection.ts';
import { ScriptedMachine } from './scripted-machine.ts';

export interface AgentFixture extends ClientFixture {
  readonly machine: ScriptedMachine;
  readonly certificates: NodeCertificates;
  readonly directory: string;
  run: NodeAgentRun;
  /** Creates a pod in namespace `one` on node `n1`, with one container `main` unless it says otherwise, and lets the agent see it. */
  createPod(name: string, spec?: Partial<PodSpec>, main?: Partial<Container>): Promise<Pod>;
  getPod(name: string): Promise<Pod>;
  /** `Running ready`, `Running`, `Pending` and so on; of the pod `web` unless it is another. */
  stateOf(name?: string): Promise<string>;
  exists(name: string): Promise<boolean>;
  containerOf(name: string, container?: string): Promise<ContainerStatus>;
  /** `Normal Pulled`, `Warning Unhealthy` and so on, of a pod, in order. */
  eventsOf(name: string): Promise<string[]>;
  /** Lets the agent do all that there is to do at this moment. */
  settle(): Promise<void>;
  /** Moves time on in small steps, and lets the agent finish after each. */
  pass(seconds: number): Promise<void>;
  /** Ends the agent and starts another one on the same machine. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>;
}

let certificates: Promise<NodeCertificates> | undefined;
const stepMs = 500;

/** A node agent on the real registry in memory and on a scripted machine, in time that stands still until it is passed. */
export async function openAgent(
  options: Partial<RunNodeAgentOptions> | ((parts: ClientFixture) => Partial<RunNodeAgentOptions>) = {},
): Promise<AgentFixture> {
  const client = await openClient();
  const own = typeof options === 'function' ? options(client) : options;
  certificates ??= makeNodeCertificates();
  const { tls } = await certificates;
  const directory = await mkdtemp(join(tmpdir(), 'wherry-agent-'));
  const machine = new ScriptedMachine({ clock: client.clock, directory });
  const open = async (): Promise<NodeAgentRun> => {
    const run = runNodeAgent({
      ...client,
      runtime: machine.open(),
      node: { name: 'n1', addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] },
      server: { address: '127.0.0.1', port: 0, tls },
      ...own,
    });
    await run.started;
    return run;
  };
  const fixture: AgentFixture = {
    ...client,
    machine,
    directory,
    certificates: await certificates,
    run: await open(),
    async createPod(name, spec, main) {
      const created = await client.client.create(podKind, {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name, namespace: 'one' },
        spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'image:1', ...main }], ...spec },
        status: {},
      });
      await fixture.settle();
      return created;
    },
    getPod: (name) => client.client.get(podKind, { namespace: 'one', name }),
    async stateOf(name = 'web') {
      const pod = await fixture.getPod(name);
      return isReady(pod) ? `${pod.status.phase} ready` : (pod.status.phase ?? '');
    },
    exists: (name) =>
      fixture.getPod(name).then(
        () => true,
        (error: unknown) => !isApiError(error, 404),
      ),
    async containerOf(name, container = 'main') {
      const { status } = await fixture.getPod(name);
      return status.containerStatuses!.find((status) => status.name === container)!;
    },
    async eventsOf(name) {
      const { items } = await client.client.list(eventKind, { namespace: 'one' });
      const own = items.filter(({ involvedObject }) => involvedObject.name === name);
      return own.map(({ type, reason }) => `${type} ${reason}`);
    },
    async settle() {
      // What has just been told gets its turn first.
      for (let turns = 0; turns < 3; turns++) await turn();
      await fixture.run.settled();
      client.clock.step(0);
      await turn();
      await fixture.run.settled();
    },
    async pass(seconds) {
      await fixture.settle();
      for (let left = seconds * 1000; left > 0; left -= stepMs) {
        client.clock.step(Math.min(left, stepMs));
        await fixture.settle();
      }
    },
    async restart(meanwhile) {
      await fixture.run.close();
      await meanwhile?.();
      fixture.run = await open();
      await fixture.settle();
    },
    async close() {
      await fixture.run.close();
      await client.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return fixture;
}

/** How an API server reaches the agent that runs now; each one has a port of its own. */
export function connectionTo({ certificates, run }: AgentFixture): NodeConnection {
  return { port: run.port!, ca: certificates.tls.ca, pair: certificates.apiServer };
}
