import { lookup as resolveName, type LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { asIpv4, isLoopbackPodAddress } from '../../kinds/core/ip-address.ts';

/** Whose address it is. Nodes may be this very machine; pods and endpoints that say so would lead to what listens for itself alone. */
export type AddressOwner = 'node' | 'pod';

/** Why the server connects to no such address, whoever names it; undefined when it does. What is no address is refused, too. */
export function addressFault(address: string, owner: AddressOwner): string | undefined {
  if (isIP(address) === 0) return 'it is no IP address';
  const dotted = asIpv4(address);
  const [text, never, loopback] =
    dotted === undefined ? [address, neverIpv6, '::1/128'] : [dotted, neverIpv4, '127.0.0.0/8'];
  if (isWithin(text, [loopback])) {
    if (owner === 'node' || isLoopbackPodAddress(text)) return undefined;
    return 'it would lead to the machine of the API server itself';
  }
  return isWithin(text, never) ? 'addresses of this sort are not for pods, services or nodes' : undefined;
}

/** The unspecified address, link-local ones (where clouds tell machines their secrets), multicast and what is reserved. */
const neverIpv4 = ['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'];

/** The same, what clouds have there for their secrets, and ways to write IPv4 that hide which address is meant. */
const neverIpv6 = ['::/96', '::ffff:0:0/96', '64:ff9b::/96', 'fe80::/10', 'ff00::/8', 'fd00:ec2::254/128'];

/** Networks of the address's own family only: in a block list an IPv4 address is also an IPv6 one. */
function isWithin(address: string, networks: readonly string[]): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  for (const network of networks) {
    const [start = '', prefix] = network.split('/');
    list.addSubnet(start, Number(prefix), family);
  }
  return list.check(address, family);
}

/** Looks names up as usual and leaves out the addresses that `owner` must not have: a name is checked where it leads to, not when. */
export function guardedLookup(owner: AddressOwner): LookupFunction {
  return (name, options, callback) => {
    resolveName(name, { ...options, all: true }, (error, found: LookupAddress[] | undefined) => {
      const allowed = (found ?? []).filter(({ address }) => addressFault(address, owner) === undefined);
      const [first] = allowed;
      if (error) callback(error, []);
      else if (!first) callback(new Error(`${name} leads to no address that may be connected to`), []);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
