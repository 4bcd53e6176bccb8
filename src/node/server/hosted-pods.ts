import type { Duplex } from 'node:stream';
import type { Pod } from '../../kinds/core/pod.ts';
import type { Container } from '../../kinds/core/pod/container.ts';
import { badRequest, notFound } from '../../kinds/meta/api-error.ts';
import type { RunningContainer } from '../runtime.ts';

/** A container of a pod that is on this node. */
export interface HostedContainer {
  readonly name: string;
  /** The newest run, while the runtime has it. */
  readonly current: RunningContainer | undefined;
  /** The run before that. */
  readonly previous: RunningContainer | undefined;
  /** Why it does not run, where it waits. */
  readonly waitingReason: string | undefined;
}

/** A pod that is on this node. */
export interface HostedPod {
  readonly pod: Pod;
  readonly podIP: string | undefined;
  /** Whether the API has it no longer. */
  readonly isVanished: boolean;
  readonly containers: readonly HostedContainer[];
  /** The pod with its status as of this moment. */
  shown(): Pod;
  /** Opens a connection to a port of it, as `Runtime.connect` does. */
  connect(port: number, signal: AbortSignal): Promise<Duplex>;
}

export interface HostedPods {
  list(): readonly HostedPod[];
}

/** What a request is about. */
export interface PodAddress {
  readonly namespace: string;
  readonly name: string;
  /** Any when absent. */
  readonly uid?: string;
}

/** The pod that is meant, or 404. Of two with the same name it is the one that is not gone. */
export function findPod(pods: HostedPods, { namespace, name, uid }: PodAddress): HostedPod {
  const named = pods.list().filter(({ pod: { metadata } }) => {
    const isNamed = metadata.namespace === namespace && metadata.name === name;
    return isNamed && (uid === undefined || metadata.uid === uid);
  });
  const found = named.find(({ isVanished }) => !isVanished) ?? named.at(-1);
  if (!found) throw notFound({ resource: 'pods', name: `${namespace}/${name}` });
  return found;
}

export function findContainer({ pod, containers }: HostedPod, name: string): HostedContainer {
  const found = containers.find((container) => container.name === name);
  if (!found) throw badRequest(`pod ${pod.metadata.name} has no container ${JSON.stringify(name)}`);
  return found;
}

/** The container as it runs now, or a refusal that says why it does not. */
export function runningContainer(container: HostedContainer): RunningContainer {
  const { current, name, waitingReason } = container;
  if (current && !current.exit) return current;
  const why = current && !waitingReason ? 'has ended' : `is waiting to start: ${waitingReason ?? 'unknown'}`;
  throw badRequest(`container ${JSON.stringify(name)} ${why}`);
}

export function specOf({ pod }: HostedPod, name: string): Container | undefined {
  return pod.spec.containers.find((container) => container.name === name);
}
