import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../kinds/core/endpoint-subset.ts';
import { isReachableIpv4 } from '../../kinds/core/ip-address.ts';
import type { Pod } from '../../kinds/core/pod.ts';
import { isFinished, isReady } from '../../kinds/core/pod/pod-state.ts';
import { repackSubsets } from '../../kinds/core/repack-subsets.ts';
import type { ServicePort } from '../../kinds/core/service-port.ts';
import type { Service } from '../../kinds/core/service.ts';

/** On a service whose pods find each other through it: pods count as ready before they are. */
const tolerateUnready = 'service.alpha.kubernetes.io/tolerate-unready-endpoints';

/** The spellings of true that the reference takes. */
const trueWords: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Where a service leads: the addresses of its pods, ready or not, each with the ports that it answers on. */
export function serviceSubsets(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const countsAll = trueWords.has(service.metadata.annotations?.[tolerateUnready] ?? '');
  const subsets: EndpointSubset[] = [];
  for (const pod of pods) {
    if (!isBehindServices(pod)) continue;
    const list = countsAll || isReady(pod) ? 'addresses' : 'notReadyAddresses';
    const address = addressOf(pod);
    for (const servicePort of service.spec?.ports ?? []) {
      const port = portOf(pod, servicePort);
      if (port !== undefined) subsets.push({ [list]: [address], ports: [endpointPort(servicePort, port)] });
    }
  }
  return repackSubsets(subsets);
}

/** A pod takes requests once it has an address, and not when it is on its way out or has ended. */
export function isBehindServices(pod: Pod): boolean {
  const { podIP } = pod.status;
  return Boolean(podIP) && isReachableIpv4(podIP!) && pod.metadata.deletionTimestamp === undefined && !isFinished(pod);
}

function addressOf({ metadata, status }: Pod): EndpointAddress {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { ip: status.podIP!, targetRef: { kind: 'Pod', namespace, name, uid, resourceVersion } };
}

/** The number of the pod's port that a service leads to; nothing when the pod has no port of that name. */
function portOf({ spec }: Pod, { targetPort, port, protocol = 'TCP' }: ServicePort): number | undefined {
  const target = targetPort ?? port;
  if (typeof target === 'number') return target;
  for (const container of spec.containers) {
    const found = container.ports?.find((each) => each.name === target && (each.protocol ?? 'TCP') === protocol);
    if (found) return found.containerPort;
  }
  return undefined;
}

function endpointPort({ name, protocol }: ServicePort, port: number): EndpointPort {
  return name ? { name, port, protocol } : { port, protocol };
}
