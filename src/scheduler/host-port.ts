import type { Pod } from '../kinds/core/pod.ts';

/** A port of a node that a pod wants for itself. */
export interface HostPort {
  readonly protocol: string;
  readonly port: number;
  /** The address of the node that is meant; empty for all of them. */
  readonly address: string;
}

const anyAddress = '0.0.0.0';

export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const wanted: HostPort[] = [];
  for (const { ports = [] } of spec.containers) {
    for (const { hostPort = 0, protocol = 'TCP', hostIP = '' } of ports) {
      if (hostPort > 0) wanted.push({ protocol, port: hostPort, address: hostIP === anyAddress ? '' : hostIP });
    }
  }
  return wanted;
}

/** The ports of one node that are taken, with how often: pods that were put there by hand may share one. */
export class TakenPorts {
  readonly #counts = new Map<string, Map<string, number>>();

  isTaken({ protocol, port, address }: HostPort): boolean {
    const addresses = this.#counts.get(`${protocol}:${port}`);
    if (!addresses) return false;
    return address === '' || addresses.has('') || addresses.has(address);
  }

  add({ protocol, port, address }: HostPort): void {
    const key = `${protocol}:${port}`;
    let addresses = this.#counts.get(key);
    if (!addresses) this.#counts.set(key, (addresses = new Map<string, number>()));
    addresses.set(address, (addresses.get(address) ?? 0) + 1);
  }

  remove({ protocol, port, address }: HostPort): void {
    const key = `${protocol}:${port}`;
    const addresses = this.#counts.get(key);
    const count = addresses?.get(address);
    if (!addresses || count === undefined) return;
    if (count > 1) addresses.set(address, count - 1);
    else addresses.delete(address);
    if (addresses.size === 0) this.#counts.delete(key);
  }
}
