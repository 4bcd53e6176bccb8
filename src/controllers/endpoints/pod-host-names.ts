import type { Pod } from '../../kinds/core/pod.ts';
import type { Service } from '../../kinds/core/service.ts';
import { isBehindServices } from './service-subsets.ts';

const hostName = 'pod.beta.kubernetes.io/hostname';
const subdomain = 'pod.beta.kubernetes.io/subdomain';

/** The annotation's value for a service; nothing where no pod asks for a name under it. */
export function podHostNames(service: Service, pods: readonly Pod[]): string | undefined {
  const entries = pods.flatMap((pod) => {
    const { annotations = {} } = pod.metadata;
    const name = annotations[hostName];
    if (!name || annotations[subdomain] !== service.metadata.name || !isBehindServices(pod)) return [];
    return [[pod.status.podIP!, { HostName: name }] as const];
  });
  if (entries.length === 0) return undefined;
  return JSON.stringify(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

/** Whether a change of a pod can change what is written about it. */
export function hostNameOf({ metadata: { annotations = {} } }: Pod): string {
  return JSON.stringify([annotations[hostName], annotations[subdomain]]);
}
