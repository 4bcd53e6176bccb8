/** The makes of a pod's network: an address of the machine's own loopback network, or a network namespace with a link to the machine. */
export type PodNetworkMake = 'loopback' | 'veth';

/** Where the containers of a pod are on the network. */
export interface NetworkPlace {
  readonly address: string;
  /** The file of the network namespace that all its containers share; absent where they are on the machine's network. */
  readonly namespace?: string;
}

/**
 * Gives each pod an address of its own that works from the host. What it gives outlives the agent: the next one of the same directory finds it again.
 * Pods on the network of the host never join.
 */
export interface PodNetwork {
  readonly make: PodNetworkMake;
  /** The address under which pods reach this machine. */
  readonly hostAddress: string;

  /** Gives a pod its place; the same again when it has one. Nothing when there are no addresses left. */
  join(uid: string): Promise<NetworkPlace | undefined>;

  /** The place that a pod has. */
  find(uid: string): NetworkPlace | undefined;

  /** Takes the place back. Nothing of the pod runs any more. */
  leave(uid: string): Promise<void>;

  /** The pods that have joined and not left. */
  members(): readonly string[];

  /** Leaves nothing on the machine unless there are members, who go on. */
  close(): Promise<void>;
}
