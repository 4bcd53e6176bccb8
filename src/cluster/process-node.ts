import { kubeletClientName } from '../access/certificates/certificate-keeper.ts';
import type { KeptPair } from '../access/certificates/kept-pair.ts';
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { Client } from '../client/client.ts';
import { runNodeAgent } from '../node/agent/run-node-agent.ts';
import { readClusterId } from '../node/machine/cluster-id.ts';
import { claimOnMachine, type MachineClaim } from '../node/machine/machine-claim.ts';
import type { PodNetworkMake } from '../node/runtimes/process/network/pod-network.ts';
import { openProcessRuntime } from '../node/runtimes/process/open-process-runtime.ts';
import type { NodeServerTls } from '../node/server/node-server.ts';
import { runSharedServiceProxy } from '../node/service-proxy/run-shared-service-proxy.ts';
import { ClosingList } from './closing-list.ts';

export interface ProcessNodeOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly name: string;
  /** Where containers, logs and volumes are kept. */
  readonly directory: string;
  /** What images stand for, besides what is built in. */
  readonly imageMap?: string;
  /** How pods get addresses of their own; on the loopback network when absent. */
  readonly network?: PodNetworkMake;
  /** What the node serves its endpoint on and is reached at, unless pods have networks of their own: it is at their end of the machine then. */
  readonly address: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** How many pods it takes; 110 when absent. */
  readonly maxPods?: number;
  /** What the node serves its endpoint with at an address; renewed by whoever gives it. */
  keepPair(address: string): Promise<KeptPair>;
  /** Who signs what the API server shows, as it is now. */
  readonly authority: () => string;
  /** Where pods find the API server. */
  readonly apiServer?: { readonly host: string; readonly port: number };
  /** Whether the containers end with the node; they go on otherwise, and the next node of the same directory takes them up. */
  readonly stopsPods: boolean;
  /** Gives up joining when it is aborted. */
  readonly signal?: AbortSignal;
}

export interface ProcessNode {
  close(): Promise<void>;
}

/** How long pods are given at the end, whatever they ask for. */
const stopMs = 5000;

/** A node whose pods are processes of this machine, with the proxy that makes services work. Resolves when it has joined; leaves nothing where that fails. */
export async function startProcessNode(options: ProcessNodeOptions): Promise<ProcessNode> {
  const opened = new ClosingList();
  try {
    await open(options, opened);
  } catch (error) {
    return opened.closeAfter(error);
  }
  return { close: () => opened.close() };
}

async function open(options: ProcessNodeOptions, opened: ClosingList): Promise<void> {
  const { client, clock, ids, logger, name, directory, imageMap, network, signal = neverAborted() } = options;
  const parts = { client, clock, ids, logger };
  // First, for containers that run already wait for somebody who reads what they write.
  const runtime = await openProcessRuntime({ directory, imageMap, network, hostAddress: options.address, clock, ids, logger }); // prettier-ignore
  opened.add(() => runtime.close());
  const address = runtime.hostAddress;
  const pair = await options.keepPair(address);
  const clusterId = await readClusterId({ ...parts, signal });
  const claim = await claimName(name, clusterId);
  opened.add(() => claim.release());
  const proxy = runSharedServiceProxy({ ...parts, nodeName: name, clusterId });
  opened.add(() => proxy.close());
  const agent = runNodeAgent({
    ...parts,
    runtime,
    apiServer: options.apiServer,
    node: { name, addresses: [{ type: 'InternalIP', address }], capacity: capacityOf(options) },
    server: { address, port: options.port, tls: tlsOf(options, pair) },
    // Whoever is on the machine itself looks for ports of the node at the loopback address.
    hostPortAddresses: network === 'veth' ? [options.address, address] : undefined,
  });
  opened.add(() => agent.close(options.stopsPods ? { stopPodsWithinMs: stopMs } : undefined));
  pair.onRenewal(() => agent.renewTls(tlsOf(options, pair)));
  await untilAborted(Promise.all([agent.started, proxy.started]), signal);
}

function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

/** Two agents that both take a node for theirs would start every pod twice. */
async function claimName(name: string, clusterId: string): Promise<MachineClaim> {
  const claim = await claimOnMachine(`node ${name} ${clusterId}`);
  if (claim) return claim;
  throw new Error(`this machine has joined the cluster as node ${name} already; give one of the two another --name`);
}

function capacityOf({ maxPods }: ProcessNodeOptions): Record<string, string> {
  return maxPods === undefined ? {} : { pods: String(maxPods) };
}

function tlsOf({ authority }: ProcessNodeOptions, pair: KeptPair): NodeServerTls {
  const { key, certificate } = pair.current;
  return { key, cert: certificate, ca: authority(), clientNames: [kubeletClientName] };
}
