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
