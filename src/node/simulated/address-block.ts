/** A block of IPv4 addresses. */
export interface AddressBlock {
  /** `10.64.1.0/24`. */
  readonly cidr: string;
  readonly size: number;
  /** The address at a position, from 0. */
  at(position: number): string;
  /** The position of an address; nothing for one that is not in the block. */
  positionOf(address: string): number | undefined;
}

/** Gives nothing for what is no block. */
export function parseBlock(cidr: string): AddressBlock | undefined {
  const [address = '', bits = ''] = cidr.split('/');
  const number = parseAddress(address);
  if (number === undefined || !/^\d{1,2}$/.test(bits) || Number(bits) > 32) return undefined;
  const size = 2 ** (32 - Number(bits));
  const first = number - (number % size);
  return {
    cidr,
    size,
    at: (position) => formatAddress(first + position),
    positionOf(address) {
      const position = (parseAddress(address) ?? NaN) - first;
      return position >= 0 && position < size ? position : undefined;
    },
  };
}

/** The parts of a block that are 2^`bits` addresses large each, in order; none of one that is smaller than that. */
export function* subBlocks(block: AddressBlock, bits: number): Generator<AddressBlock> {
  for (let position = 0; position + 2 ** bits <= block.size; position += 2 ** bits) {
    yield parseBlock(`${block.at(position)}/${32 - bits}`)!;
  }
}

function parseAddress(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)) return undefined;
  return parts.reduce((number, part) => number * 256 + Number(part), 0);
}

function formatAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}
