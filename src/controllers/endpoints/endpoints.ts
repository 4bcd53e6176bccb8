import { isDeepStrictEqual } from 'node:util';
import { ifThere } from '../../client/if-there.ts';
import type { Informer } from '../../client/informer.ts';
import { keyOf, parseKey } from '../../client/object-name.ts';
import type { EndpointAddress, EndpointSubset } from '../../kinds/core/endpoint-subset.ts';
import { endpoints as endpointsKind, type Endpoints } from '../../kinds/core/endpoints.ts';
import { hostNamesAnnotation } from '../../kinds/core/host-names-annotation.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { isReady } from '../../kinds/core/pod/pod-state.ts';
import { service as serviceKind, type Service } from '../../kinds/core/service.ts';
import type { Controller, ControllerContext } from '../loop/controller.ts';
import { changesMapped, changesOf, type KeySource } from '../loop/key-source.ts';
import { hostNameOf, podHostNames } from './pod-host-names.ts';
import { isBehindServices, serviceSubsets } from './service-subsets.ts';

/** Writes where services lead: to the pods that they select. Endpoints of services without a selector are somebody else's. */
export const serviceEndpoints: Controller = {
  name: 'endpoint-controller',
  start(context) {
    const { informers } = context;
    const parts: Parts = {
      context,
      services: informers.of(serviceKind),
      pods: informers.of(podKind),
      endpoints: informers.of(endpointsKind),
    };
    return {
      sources: [
        changesOf(parts.services),
        podChanges(parts),
        changesMapped(parts.endpoints, (object) => (concernsUs(parts, object) ? [keyOf(object)] : [])),
      ],
      reconcile: (key) => sync(parts, key),
    };
  },
};

interface Parts {
  readonly context: ControllerContext;
  readonly services: Informer<Service>;
  readonly pods: Informer<Pod>;
  readonly endpoints: Informer<Endpoints>;
}

/** Services that select the pod, whenever something of it changes that they lead to. */
function podChanges({ services, pods }: Parts): KeySource {
  return {
    synced: pods.synced,
    subscribe(enqueue) {
      const give = (pod: Pod): void => {
        for (const service of services.list(pod.metadata.namespace)) {
          if (selects(service, pod)) enqueue(keyOf(service));
        }
      };
      return pods.on({
        added: give,
        updated(old, pod) {
          if (isSameBehindServices(old, pod)) return;
          give(old);
          give(pod);
        },
        deleted: give,
      });
    },
  };
}

function isSameBehindServices(old: Pod, pod: Pod): boolean {
  return (
    old.status.podIP === pod.status.podIP &&
    isReady(old) === isReady(pod) &&
    isBehindServices(old) === isBehindServices(pod) &&
    hostNameOf(old) === hostNameOf(pod) &&
    isDeepStrictEqual(old.metadata.labels, pod.metadata.labels)
  );
}

function selects({ spec }: Service, { metadata: { labels = {} } }: Pod): boolean {
  const wanted = Object.entries(spec?.selector ?? {});
  return wanted.length > 0 && wanted.every(([label, value]) => labels[label] === value);
}

/**
 * Those of a service, and those that its controller left behind: nobody but a controller names the pod behind every address. Others without a
 * service may be anything, such as a lock.
 */
function concernsUs({ services }: Parts, object: Endpoints): boolean {
  if (services.get(keyOf(object))) return true;
  const addresses = object.subsets.flatMap(({ addresses = [], notReadyAddresses = [] }) => [
    ...addresses,
    ...notReadyAddresses,
  ]);
  return addresses.length > 0 && addresses.every(({ targetRef }) => targetRef?.kind === 'Pod');
}

async function sync(parts: Parts, key: string): Promise<void> {
  const service = parts.services.get(key);
  if (!service) return remove(parts, key);
  if (Object.keys(service.spec?.selector ?? {}).length === 0) return;
  const pods = parts.pods.list(service.metadata.namespace).filter((pod) => selects(service, pod));
  const current = parts.endpoints.get(key);
  const wanted = wantedEndpoints(service, pods, current);
  const { client } = parts.context;
  if (!current) await client.create(endpointsKind, wanted);
  else if (!saysTheSame(current, wanted)) await client.update(endpointsKind, wanted);
}

async function remove({ context, endpoints }: Parts, key: string): Promise<void> {
  const current = endpoints.get(key);
  if (!current) return;
  const { uid } = current.metadata;
  await ifThere(context.client.delete(endpointsKind, parseKey(key), { preconditions: { uid } }));
}

function wantedEndpoints(service: Service, pods: readonly Pod[], current: Endpoints | undefined): Endpoints {
  const { name, namespace, labels } = service.metadata;
  const { [hostNamesAnnotation]: _old, ...annotations } = current?.metadata.annotations ?? {};
  const hostNames = podHostNames(service, pods);
  if (hostNames !== undefined) annotations[hostNamesAnnotation] = hostNames;
  return {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: {
      ...current?.metadata,
      name,
      namespace,
      labels,
      annotations: Object.keys(annotations).length > 0 ? annotations : undefined,
    },
    subsets: serviceSubsets(service, pods),
  };
}

function saysTheSame(a: Endpoints, b: Endpoints): boolean {
  return (
    isDeepStrictEqual(statements(a.subsets), statements(b.subsets)) &&
    isDeepStrictEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {}) &&
    isDeepStrictEqual(a.metadata.annotations ?? {}, b.metadata.annotations ?? {})
  );
}

/** What subsets say, in one order. A pod's revision counts with every change of its status; that alone is no reason to write. */
function statements(subsets: readonly EndpointSubset[]): string[] {
  const address = ({ ip, targetRef = {} }: EndpointAddress): unknown => [
    ip,
    targetRef.kind,
    targetRef.name,
    targetRef.uid,
  ];
  return subsets
    .map(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
      const numbers = ports.map(({ name, port, protocol }) => [name, port, protocol]);
      return JSON.stringify([addresses.map(address), notReadyAddresses.map(address), numbers]);
    })
    .toSorted();
}
