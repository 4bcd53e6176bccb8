import type { Pod } from '../../kinds/core/pod.ts';

/** A port of the node that is to lead to a port of a pod. */
export interface HostPortWish {
  readonly protocol: 'TCP' | 'UDP';
  /** The address of the node that is meant; empty where the pod leaves that to the node, `0.0.0.0` for all. */
  readonly address: string;
  readonly port: number;
  readonly containerPort: number;
}

/** The ports of the node that a pod asks for. */
export function hostPortsOf({ spec }: Pod): HostPortWish[] {
  return spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort: port = 0, containerPort, protocol = 'TCP', hostIP: address = '' }) =>
      port > 0 ? { protocol, address, port, containerPort } : [],
    ),
  );
}
