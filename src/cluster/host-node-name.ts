import { hostname } from 'node:os';

/** The machine's name, as far as a node can be called so. */
export function hostNodeName(): string {
  const name = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-');
  return /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) ? name : 'node-1';
}
