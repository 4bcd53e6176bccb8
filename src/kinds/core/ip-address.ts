import { BlockList, isIP, isIPv4 } from 'node:net';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';

/** Whether the text is an address of either family, without a zone. */
export function isIpAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

/** Whether the text is an address with the number of bits that a block of addresses has in common, such as 10.0.0.0/8. */
export function isIpBlock(text: string): boolean {
  const [, address = '', bits] = /^([^/]*)\/(\d+)$/.exec(text) ?? [];
  return isIpAddress(address) && Number(bits) <= (isIPv4(address) ? 32 : 128);
}

const mappedPrefix = /^::ffff:/i;

/** The dotted form of an IPv4 address, also when it is written in IPv6 terms; nothing for any other text. */
export function asIpv4(text: string): string | undefined {
  const dotted = text.replace(mappedPrefix, '');
  return isIPv4(dotted) ? dotted : undefined;
}

interface SpecialRange {
  readonly what: string;
  readonly v4: readonly [address: string, prefix: number];
  readonly v6: readonly [address: string, prefix: number];
}

const specialRanges: readonly SpecialRange[] = [
  { what: 'the unspecified address', v4: ['0.0.0.0', 32], v6: ['::', 128] },
  { what: 'a loopback address', v4: ['127.0.0.0', 8], v6: ['::1', 128] },
  { what: 'a link-local address', v4: ['169.254.0.0', 16], v6: ['fe80::', 10] },
  { what: 'a link-local multicast address', v4: ['224.0.0.0', 24], v6: ['ff02::', 16] },
];

/**
 * Refuses what is no address, and addresses that mean something else on every machine: traffic sent there by a cluster would reach the
 * node itself or its metadata service.
 */
export function validateReachableAddress(text: string, path: Path, errors: FieldErrors): void {
  if (!isIpAddress(text)) {
    errors.invalid(path, text, 'must be an IP address');
    return;
  }
  const range = specialRanges.find((each) => isWithin(text, each));
  if (range) errors.invalid(path, text, `must not be ${range.what}`);
}

function isWithin(text: string, range: SpecialRange): boolean {
  const dotted = asIpv4(text);
  return dotted === undefined ? ipv6List(range).check(text, 'ipv6') : isWithinIpv4(dotted, range.v4);
}

const ipv6Lists = new Map<SpecialRange, BlockList>();

/** Made once: that takes much longer than a look into it, and services and endpoints can have thousands of addresses. */
function ipv6List(range: SpecialRange): BlockList {
  let list = ipv6Lists.get(range);
  if (!list) {
    list = new BlockList();
    list.addSubnet(...range.v6, 'ipv6');
    ipv6Lists.set(range, list);
  }
  return list;
}

function isWithinIpv4(dotted: string, [address, prefix]: SpecialRange['v4']): boolean {
  const size = 2 ** (32 - prefix);
  return Math.floor(ipv4Number(dotted) / size) === Math.floor(ipv4Number(address) / size);
}

function ipv4Number(dotted: string): number {
  return dotted.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}

const loopbackPods = ['127.64.0.0', 10] as const;

/** Whether the address is of the part of the loopback network in which pods that are processes of this machine live. */
export function isLoopbackPodAddress(text: string): boolean {
  const dotted = asIpv4(text);
  return dotted !== undefined && isWithinIpv4(dotted, loopbackPods);
}

/** Whether endpoints may have this address: IPv4, and not one that means something else on every machine, unless pods live there. */
export function isReachableIpv4(text: string): boolean {
  if (asIpv4(text) === undefined) return false;
  return isLoopbackPodAddress(text) || !specialRanges.some((each) => isWithin(text, each));
}
