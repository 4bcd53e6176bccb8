import type { HostTools } from '../host-tools.ts';

/** Stands before a command that is to run in a network namespace; nothing for the machine's own network. */
export function enterNetwork(tools: HostTools, namespace: string | undefined): string[] {
  if (namespace === undefined) return [];
  return [tools.find('nsenter', 'to run containers in networks of their own'), `--net=${namespace}`, '--'];
}
