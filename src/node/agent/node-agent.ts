import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Settling } from '../../base/settling.ts';
import type { Client } from '../../client/client.ts';
import type { NodeAddress } from '../../kinds/core/node-status.ts';
import type { Runtime } from '../runtime.ts';
import type { NodeServerOptions, NodeServerTls } from '../server/node-server.ts';

/** The node that an agent stands for. */
export interface AgentNode {
  readonly name: string;
  /** Besides those that every node has. */
  readonly labels?: Readonly<Record<string, string>>;
  /** How others reach the node; the first InternalIP is what pods show as their host. At least one address. */
  readonly addresses: readonly NodeAddress[];
  /** What pods can have in all; what the machine has, and 110 pods, where absent. */
  readonly capacity?: Readonly<Record<string, string>>;
}

export interface RunNodeAgentOptions {
  readonly client: Client;
  /** Stays open: whoever opened it closes it. */
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly node: AgentNode;
  /** Where the API server reaches logs, commands and ports of the pods. */
  readonly server: NodeServerOptions;
  /** Where ports of the node are opened for pods that name no address of it; on the first InternalIP when absent. */
  readonly hostPortAddresses?: readonly string[];
  /** How often the node says that it is well; every 10 seconds when absent. */
  readonly heartbeatMs?: number;
  /** What pods are told in KUBERNETES_SERVICE_HOST and _PORT, where they cannot reach the address of the service `default/kubernetes`. */
  readonly apiServer?: { readonly host: string; readonly port: number };
  /** Ends the run when it is aborted, as `close` does. */
  readonly signal?: AbortSignal;
}

export interface CloseNodeAgentOptions {
  /** Ends everything that runs, within this time and that of the pods themselves, and leaves nothing on the machine. The pods stay in the API. */
  readonly stopPodsWithinMs?: number;
}

/** A node agent at work, from `runNodeAgent` until `close`. Containers that run or stop do not count as work left to do. */
export interface NodeAgentRun extends Settling {
  /** Resolves when the node has joined, its port is open and it looks after its pods; rejects when that fails or the run ends before. */
  readonly started: Promise<void>;
  /** The port of the node's own endpoint, once that is open. */
  readonly port: number | undefined;
  /** The node's own endpoint is served with these certificates from now on. */
  renewTls(tls: NodeServerTls): void;
  /** Ends the work under way and everything that was opened. Containers go on, for the next agent to find, unless it is said otherwise. */
  close(options?: CloseNodeAgentOptions): Promise<void>;
}
