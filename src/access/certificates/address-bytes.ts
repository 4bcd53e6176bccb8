import { isIPv4, isIPv6 } from 'node:net';

/** The four or sixteen bytes of an IP address given as text. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  if (!isIPv6(address) || address.includes('%')) throw new RangeError(`${address} is not a plain IP address`);
  // The URL parser writes every IPv6 address in hexadecimal groups with at most one "::".
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const front = groupsOf(head);
  const back = groupsOf(tail ?? '');
  const bytes = Buffer.alloc(16);
  for (const [index, group] of front.entries()) bytes.writeUInt16BE(group, index * 2);
  for (const [index, group] of back.entries()) bytes.writeUInt16BE(group, 16 - (back.length - index) * 2);
  return bytes;
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
