import type { KeyPair } from '../access/certificates/key-pair.ts';
import { kubeletClientName } from '../access/certificates/certificate-keeper.ts';
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/client.ts';
import { runNodeAgent } from '../node/agent/run-node-agent.ts';
import { openProcessRuntime } from '../node/runtimes/process/open-process-runtime.ts';
import { runServiceProxy } from '../node/service-proxy/run-service-proxy.ts';

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
  /** What the node serves its endpoint with. */
  readonly pair: KeyPair;
  /** Who signs what the API server shows. */
  readonly authority: string;
  /** Where pods find the API server. */
  readonly apiServer?: { readonly host: string; readonly port: number };
  /** Whether the containers end with the node; they go on otherwise, and the next node of the same directory takes them up. */
  readonly stopsPods: boolean;
}

export interface ProcessNode {
  close(): Promise<void>;
}

const address = '127.0.0.1';
/** How long pods are given at the end, whatever they ask for. */
const stopMs = 5000;

/** A node whose pods are processes of this machine, with the proxy that makes services work. Resolves when it has joined. */
export async function startProcessNode(options: ProcessNodeOptions): Promise<ProcessNode> {
  const { client, clock, ids, logger, name, directory, imageMap, pair, authority, apiServer, stopsPods } = options;
  const parts = { client, clock, ids, logger };
  const runtime = await openProcessRuntime({ directory, imageMap, clock, ids, logger });
  const agent = runNodeAgent({
    ...parts,
    runtime,
    apiServer,
    node: { name, addresses: [{ type: 'InternalIP', address }] },
    server: {
      address,
      port: 0,
      tls: { key: pair.key, cert: pair.certificate, ca: authority, clientNames: [kubeletClientName] },
    },
  });
  const proxy = runServiceProxy({ ...parts, nodeName: name });
  async function close(): Promise<void> {
    await agent.close(stopsPods ? { stopPodsWithinMs: stopMs } : undefined);
    await proxy.close();
    await runtime.close();
  }
  try {
    await Promise.all([agent.started, proxy.started]);
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}
