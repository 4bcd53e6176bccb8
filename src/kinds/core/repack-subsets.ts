import { createHash } from 'node:crypto';
import type { EndpointAddress, EndpointPort, EndpointSubset } from './endpoint-subset.ts';

/** The addresses behind one port; an address that is anywhere not ready is not ready. */
type Readiness = Map<EndpointAddress, boolean>;

/**
 * Brings subsets into the one form that the reference keeps: addresses that answer on the same ports stand together, each once, and all
 * lists are sorted. Subsets that say the same thing differently become equal.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const groups = new Map<string, { readiness: Readiness; ports: EndpointPort[] }>();
  for (const { port, readiness } of addressesByPort(subsets)) {
    const key = [...readiness].map(([address, ready]) => `${addressKey(address)} ${ready}`).sort();
    const group = groups.get(key.join()) ?? { readiness, ports: [] };
    group.ports.push(port);
    groups.set(key.join(), group);
  }
  return sortByDigest([...groups.values()].map(toSubset), printSubset);
}

function addressesByPort(subsets: readonly EndpointSubset[]): { port: EndpointPort; readiness: Readiness }[] {
  const known = new Map<string, EndpointAddress>();
  const byPort = new Map<string, { port: EndpointPort; readiness: Readiness }>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    for (const port of ports) {
      const entry = byPort.get(printPort(port)) ?? { port, readiness: new Map() };
      byPort.set(printPort(port), entry);
      for (const each of addresses) {
        const address = firstOf(known, each);
        if (!entry.readiness.has(address)) entry.readiness.set(address, true);
      }
      for (const each of notReadyAddresses) entry.readiness.set(firstOf(known, each), false);
    }
  }
  return [...byPort.values()];
}

/** Pods can share an address, so what stands behind it counts, too. */
function addressKey(address: EndpointAddress): string {
  return JSON.stringify([address.ip, address.targetRef?.uid ?? '']);
}

function firstOf(known: Map<string, EndpointAddress>, address: EndpointAddress): EndpointAddress {
  const key = addressKey(address);
  const first = known.get(key) ?? address;
  known.set(key, first);
  return first;
}

function toSubset({ readiness, ports }: { readiness: Readiness; ports: EndpointPort[] }): EndpointSubset {
  const addresses = sortAddresses(readiness, true);
  const notReadyAddresses = sortAddresses(readiness, false);
  return {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ports: sortByDigest(ports, printPort),
  };
}

function sortAddresses(readiness: Readiness, ready: boolean): EndpointAddress[] {
  const addresses = [...readiness].filter(([, isReady]) => isReady === ready).map(([address]) => address);
  return addresses.sort((a, b) => compare(a.ip, b.ip) || compare(uidOrder(a), uidOrder(b)));
}

/** Addresses with nothing behind them come first. */
function uidOrder({ targetRef }: EndpointAddress): string {
  return targetRef ? ` ${targetRef.uid ?? ''}` : '';
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The order of the reference, which clients see: by a digest of the item as Go's debug printer writes it. */
function sortByDigest<T>(items: T[], print: (item: T) => string): T[] {
  const keyed = items.map((item) => ({ item, digest: createHash('md5').update(print(item)).digest('hex') }));
  return keyed.sort((a, b) => compare(a.digest, b.digest)).map(({ item }) => item);
}

function printPort(port: EndpointPort): string {
  return `(api.EndpointPort)${printListedPort(port)}`;
}

/** The type of a list's items stands before the list only. */
function printListedPort({ name = '', port, protocol = 'TCP' }: EndpointPort): string {
  return `{Name:(string)${name} Port:(int)${port} Protocol:(api.Protocol)${protocol}}`;
}

function printListedAddress({ ip, targetRef }: EndpointAddress): string {
  return `{IP:(string)${ip} TargetRef:(*api.ObjectReference)${targetRef ? printReference(targetRef) : '<nil>'}}`;
}

function printReference(reference: NonNullable<EndpointAddress['targetRef']>): string {
  const {
    kind = '',
    namespace = '',
    name = '',
    uid = '',
    apiVersion = '',
    resourceVersion = '',
    fieldPath = '',
  } = reference;
  const identity = `Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid}`;
  return `{${identity} APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}}`;
}

function printSubset({ addresses, notReadyAddresses, ports }: EndpointSubset): string {
  const [ready, notReady] = [addresses, notReadyAddresses].map((each) =>
    printList('EndpointAddress', each?.map(printListedAddress)),
  );
  return `(api.EndpointSubset){Addresses:${ready} NotReadyAddresses:${notReady} Ports:${printList('EndpointPort', ports?.map(printListedPort))}}`;
}

function printList(type: string, items: string[] | undefined): string {
  return `([]api.${type})${items ? `[${items.join(' ')}]` : '<nil>'}`;
}
