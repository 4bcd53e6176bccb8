import type { Format } from '../../schema/schema.ts';
import { integer, oneOf, type FieldBuilder } from '../../schema/builders.ts';

const bounds = { min: 1, max: 65535 };

/** A port number that must be there; leaving it out is the same mistake as giving 0. */
export function requiredPort(description: string): FieldBuilder<number, true> {
  return integer(description, bounds).mandatory().always(0);
}

export function isPortNumber(port: number): boolean {
  return port >= bounds.min && port <= bounds.max;
}

export function protocolField(): FieldBuilder<'TCP' | 'UDP'> {
  return oneOf(['TCP', 'UDP'], 'TCP or UDP.').defaultsTo('TCP');
}

/** A name that stands for a port number: RFC 6335. */
export const portName: Format = {
  name: 'port-name',
  check(value) {
    if (value.length > 15) return 'must have at most 15 characters';
    if (!/^[a-z0-9](?:-?[a-z0-9])*$/.test(value))
      return 'use lower case letters and digits, with single "-" between them';
    return /[a-z]/.test(value) ? undefined : 'must have a letter';
  },
};
