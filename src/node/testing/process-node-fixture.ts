import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { deferred } from '../../base/deferred.ts';
import { randomIds } from '../../base/ids.ts';
import { openInformer } from '../../client/open-informer.ts';
import { openClient, type ClientFixture } from '../../client/testing/client-fixture.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts';
import type { NodeAgentRun } from '../agent/node-agent.ts';
import { runNodeAgent } from '../agent/run-node-agent.ts';
import type { Runtime } from '../runtime.ts';
import { openProcessRuntime } from '../runtimes/process/open-process-runtime.ts';
import { makeNodeCertificates, type NodeCertificates } from './node-certificates.ts';
import type { NodeConnection } from './node-connection.ts';

/** A node agent on the real registry in memory and with the real processes of this machine, in real time. */
export class ProcessNodeFixture {
  readonly #client: ClientFixture;
  readonly #directory: string;
  readonly #certificates: NodeCertificates;
  /** Timers of the clock let the process end, which it must not while a test waits for one. */
  readonly #keepAlive = setInterval(() => {}, 1_000_000);
  #runtime!: Runtime;
  #run!: NodeAgentRun;

  private constructor(client: ClientFixture, directory: string, certificates: NodeCertificates) {
    this.#client = client;
    this.#directory = directory;
    this.#certificates = certificates;
  }

  static async create(context: TestContext): Promise<ProcessNodeFixture> {
    const directory = await mkdtemp(join(tmpdir(), 'wherry-node-'));
    const fixture = new ProcessNodeFixture(await openClient(), directory, await makeNodeCertificates());
    context.after(() => fixture.#close());
    await fixture.#open();
    return fixture;
  }

  get client(): ClientFixture['client'] {
    return this.#client.client;
  }

  get runtime(): Runtime {
    return this.#runtime;
  }

  /** How an API server reaches the node. */
  get connection(): NodeConnection {
    return { port: this.#run.port!, ca: this.#certificates.tls.ca, pair: this.#certificates.apiServer };
  }

  /** Creates a pod in namespace `one` on this node. */
  async createPod(name: string, spec: Pick<PodSpec, 'containers'> & Partial<PodSpec>): Promise<void> {
    await this.client.create(podKind, {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name, namespace: 'one' },
      spec: { nodeName: 'n1', ...spec },
      status: {},
    });
  }

  /** Resolves when a pod is so; `undefined` stands for one that is gone. */
  async reaches(name: string, isSo: (pod: Pod | undefined) => boolean): Promise<Pod | undefined> {
    const parts = { client: this.client, clock: systemClock, ids: randomIds, logger: this.#client.logger };
    const selection = { namespace: 'one', fields: { 'metadata.name': name } };
    const informer = openInformer({ ...parts, kind: podKind, selection });
    const reached = deferred<Pod | undefined>();
    const look = (pod: Pod | undefined): void => {
      if (isSo(pod)) reached.resolve(pod);
    };
    informer.on({ added: look, updated: (_old, pod) => look(pod), deleted: () => look(undefined) });
    try {
      await informer.synced;
      look(informer.get(`one/${name}`));
      return await reached.promise;
    } finally {
      informer.close();
    }
  }

  settled(): Promise<void> {
    return this.#run.settled();
  }

  /** Ends the agent and its runtime and starts others in their place. */
  async restart(): Promise<void> {
    await this.#run.close();
    await this.#runtime.close();
    await this.#open();
  }

  async #open(): Promise<void> {
    const { logger } = this.#client;
    const [clock, ids] = [systemClock, randomIds];
    const directory = join(this.#directory, 'runtime');
    const addressRegistry = join(this.#directory, 'addresses');
    this.#runtime = await openProcessRuntime({ directory, addressRegistry, clock, ids, logger });
    this.#run = runNodeAgent({
      client: this.client,
      runtime: this.#runtime,
      clock,
      ids,
      logger,
      node: { name: 'n1', addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] },
      server: { address: '127.0.0.1', port: 0, tls: this.#certificates.tls },
    });
    await this.#run.started;
  }

  async #close(): Promise<void> {
    await this.#run.close({ stopPodsWithinMs: 0 });
    await this.#runtime.close();
    await this.#client.close();
    await rm(this.#directory, { recursive: true, force: true });
    clearInterval(this.#keepAlive);
  }
}
