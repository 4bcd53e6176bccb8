import { quietly } from './network-shell.ts';

/** The end of a pod's link that the pod has. */
export interface PodLink {
  /** The host's end. */
  readonly link: string;
  readonly namespace: string;
  readonly address: string;
}

export interface BridgeLink {
  readonly bridge: string;
  readonly address: string;
  readonly prefixLength: number;
  readonly mtu: number;
}

/** Makes the bridge, or leaves one that is there as it is meant to be. Its hardware address is given, or it would follow the pods that come and go. */
export function bridgeScript(ip: string, { bridge, address, prefixLength, mtu }: BridgeLink): string {
  return [
    `${ip} link show dev ${bridge} >/dev/null 2>&1 || ${ip} link add name ${bridge} address ${hardwareAddress(address)} mtu ${mtu} type bridge`,
    `${ip} address replace ${address}/${prefixLength} dev ${bridge}`,
    `${ip} link set dev ${bridge} up`,
  ].join('\n');
}

/** Makes the namespace of a pod with its link to the bridge. */
export function joinScript(ip: string, { link, namespace, address }: PodLink, to: BridgeLink): string {
  return [
    `${ip} netns add ${namespace}`,
    batch(ip, [
      `link add ${link} mtu ${to.mtu} type veth peer name eth0 mtu ${to.mtu} netns ${namespace}`,
      `link set ${link} master ${to.bridge} up`,
    ]),
    batch(`${ip} -n ${namespace}`, [
      'link set lo up',
      `address add ${address}/${to.prefixLength} dev eth0`,
      'link set eth0 up',
      `route add default via ${to.address}`,
    ]),
  ].join('\n');
}

/** Puts links back onto the bridge, which may have been made anew. */
export function attachScript(ip: string, links: readonly string[], { bridge }: BridgeLink): string {
  return batch(ip, links.map((link) => `link set ${link} master ${bridge} up`)); // prettier-ignore
}

/** The link goes first: it is gone then, whoever still holds the namespace. */
export function leaveScript(ip: string, { link, namespace }: Pick<PodLink, 'link' | 'namespace'>): string {
  return [quietly(`${ip} link delete dev ${link}`), quietly(`${ip} netns delete ${namespace}`)].join('\n');
}

function batch(ip: string, commands: readonly string[]): string {
  return `${ip} -batch - <<'END'\n${commands.join('\n')}\nEND`;
}

/** One that nobody else has: it is marked as given by hand, and its end is the address. */
function hardwareAddress(address: string): string {
  const bytes = [0x0a, 0x77, ...address.split('.').map(Number)];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}
