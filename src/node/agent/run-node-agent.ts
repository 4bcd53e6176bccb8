import { isIP } from 'node:net';
import { closeOnce } from '../../base/close-once.ts';
import { allSettled, type Settling } from '../../base/settling.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Client } from '../../client/client.ts';
import { clientUntil } from '../../client/client-until.ts';
import { openEventRecorder } from '../../client/open-event-recorder.ts';
import { SharedInformers } from '../../client/shared-informers.ts';
import { pod as podKind } from '../../kinds/core/pod.ts';
import { canonicalAmount } from '../../kinds/core/resource-amounts.ts';
import { service as serviceKind } from '../../kinds/core/service.ts';
import { ContainerEnvironment } from '../environment/container-environment.ts';
import { HostPorts } from '../host-ports/host-ports.ts';
import { openNodeServer, type NodeServer, type NodeServerTls } from '../server/node-server.ts';
import { FollowedObjects } from '../volumes/followed-objects.ts';
import { PodVolumes } from '../volumes/pod-volumes.ts';
import type { AgentParts } from './agent-parts.ts';
import { machineCapacity, readSystemInfo } from './machine-info.ts';
import type { AgentNode, CloseNodeAgentOptions, NodeAgentRun, RunNodeAgentOptions } from './node-agent.ts';
import { NodeReport } from './node-report.ts';
import { PodWorkers } from './pod-workers.ts';
import { WorkTracker } from './work-tracker.ts';

/**
 * Starts the agent of a node: it joins, reports, and runs the pods bound to it through its runtime. What ran before it started goes on where its pod is still
 * there, and is stopped where not.
 */
export function runNodeAgent(options: RunNodeAgentOptions): NodeAgentRun {
  const { logger, signal } = options;
  checkNode(options.node);
  const stopping = new AbortController();
  const agent = new NodeAgent(options, stopping.signal);
  const started = agent.start(stopping.signal);
  started.catch(() => {});

  async function end(how: CloseNodeAgentOptions = {}): Promise<void> {
    stopping.abort(new Error('the node agent is stopped'));
    await started.catch(() => {});
    await agent.close(how);
  }
  const close = closeOnce(end, {
    signal,
    onFailure: (error) => logger.error('the node agent did not stop in order', { error }),
  });
  return {
    started,
    get port() {
      return agent.port;
    },
    renewTls: (tls) => agent.renewTls(tls),
    get isBusy() {
      return agent.isBusy;
    },
    async settled() {
      await started;
      await agent.settled();
    },
    close,
  };
}

/** The parts of an agent, in the order in which they begin. */
class NodeAgent {
  readonly #options: RunNodeAgentOptions;
  readonly #reporting: { readonly client: Client; readonly signal: AbortSignal };
  readonly #informers: SharedInformers;
  readonly #events: ReturnType<typeof openEventRecorder>;
  readonly #objects: FollowedObjects;
  readonly #volumes: PodVolumes;
  readonly #hostPorts: HostPorts;
  readonly #work = new WorkTracker();
  readonly #workers: PodWorkers;
  #report: NodeReport | undefined;
  #server: NodeServer | undefined;
  #tls: NodeServerTls;

  /** Once the signal is aborted nothing more is reported, and no server is waited for that would take it. */
  constructor(options: RunNodeAgentOptions, signal: AbortSignal) {
    this.#options = options;
    this.#reporting = { client: clientUntil(signal, options.client), signal };
    this.#tls = options.server.tls;
    const { client, clock, logger, runtime, node, apiServer } = options;
    this.#informers = new SharedInformers(options);
    this.#events = openEventRecorder({ client, clock, logger, source: { component: 'kubelet', host: node.name } });
    this.#objects = new FollowedObjects(options);
    this.#volumes = new PodVolumes({
      clock,
      objects: this.#objects,
      onChange: (uid) => this.#workers.refreshVolumes(uid),
    });
    const hostIP = hostAddress(node);
    this.#hostPorts = new HostPorts({
      ...options,
      hostIP,
      onProblem: (uid, message) => this.#workers.tellPortProblem(uid, message),
    });
    const environment = new ContainerEnvironment({ client, services: this.#informers.of(serviceKind), apiServer });
    const parts: AgentParts = {
      clock,
      logger,
      events: this.#events,
      runtime,
      environment,
      volumes: this.#volumes,
      hostPorts: this.#hostPorts,
      work: this.#work,
      hostIP,
    };
    const pods = this.#informers.of(podKind, { fields: { 'spec.nodeName': node.name } });
    this.#workers = new PodWorkers({ parts, ...this.#reporting, pods, getNode: () => this.#report!.node });
  }

  get port(): number | undefined {
    return this.#server?.port;
  }

  renewTls(tls: NodeServerTls): void {
    this.#tls = tls;
    this.#server?.renewTls(tls);
  }

  async start(signal: AbortSignal): Promise<void> {
    const { clock, logger, runtime, node, server, heartbeatMs = 10_000 } = this.#options;
    await untilAborted(this.#informers.synced(), signal);
    const info = await readSystemInfo(runtime.version);
    signal.throwIfAborted();
    const tls = this.#tls;
    this.#server = await openNodeServer({ ...server, tls, pods: this.#workers, clock, logger, nodeName: node.name });
    // It may have been renewed while the port was opened.
    if (this.#tls !== tls) this.#server.renewTls(this.#tls);
    const identity = {
      ...node,
      capacity: { ...machineCapacity(), ...node.capacity },
      port: this.#server.port,
      info,
    };
    this.#report = new NodeReport({ ...this.#reporting, clock, logger, identity, heartbeatMs });
    await this.#report.join();
    signal.throwIfAborted();
    this.#report.start();
    await this.#workers.start();
  }

  get isBusy(): boolean {
    return this.#parts.some(({ isBusy }) => isBusy);
  }

  settled(): Promise<void> {
    return allSettled(this.#parts);
  }

  get #parts(): readonly Settling[] {
    return [this.#workers, this.#work, this.#events, ...(this.#report ? [this.#report] : [])];
  }

  async close({ stopPodsWithinMs }: CloseNodeAgentOptions): Promise<void> {
    if (stopPodsWithinMs !== undefined) await this.#workers.stopAll(stopPodsWithinMs);
    await this.#server?.close();
    await this.#workers.close();
    await this.#report?.close();
    await this.#hostPorts.closeAll();
    this.#volumes.close();
    this.#objects.close();
    this.#informers.close();
    // What was begun is brought to its end, so that nothing is half made.
    await this.#work.settled();
    await this.#events.close();
  }
}

function hostAddress({ addresses }: AgentNode): string {
  const internal =
    addresses.find(({ type }) => type === 'InternalIP') ?? addresses.find(({ address }) => isIP(address));
  return internal?.address ?? '';
}

function checkNode(node: AgentNode): void {
  if (!node.name) throw new RangeError('a node needs a name');
  if (hostAddress(node) === '') throw new RangeError(`node ${node.name} needs an IP address`);
  for (const [resource, amount] of Object.entries(node.capacity ?? {})) {
    if (canonicalAmount(amount) !== undefined && !amount.startsWith('-')) continue;
    throw new RangeError(
      `a node cannot have ${JSON.stringify(amount)} of ${resource}; write an amount such as 4 or 8Gi`,
    );
  }
}
