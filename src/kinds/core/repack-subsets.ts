import { createHash } from 'node:crypto';
import { tooLarge } from '../meta/api-error.ts';
import type { EndpointAddress, EndpointPort, EndpointSubset } from './endpoint-subset.ts';

/** Addresses, and whether they are ready; one that is anywhere not ready is not ready. */
type Readiness = Map<EndpointAddress, boolean>;

/** Ports that the same addresses answer on. */
interface Group {
  readonly readiness: Readiness;
  readonly ports: EndpointPort[];
}

/** Where a port stands in several subsets, together with others, addresses are repeated; so many are more than any body can name. */
const mostAddresses = 200_000;

/**
 * Brings subsets into the one form that the reference keeps: addresses that answer on the same ports stand together, each once, and all
 * lists are sorted. Subsets that say the same thing differently become equal. Refuses with 413 what would grow beyond all measure.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const groups = new Map<string, Group>();
  let total = 0;
  for (const { ports, readiness } of groupsBySubsets(subsets)) {
    total += readiness.size;
    if (total > mostAddresses) throw tooLarge(`the subsets have more than ${mostAddresses} addresses, port by port`);
    const key = [...readiness].map(([address, ready]) => `${addressKey(address)} ${ready}`).sort();
    const group = groups.get(key.join()) ?? { readiness, ports: [] };
    for (const port of ports) group.ports.push(port);
    groups.set(key.join(), group);
  }
  return sortByDigest([...groups.values()].map(toSubset), printSubset);
}

/** Ports that stand in the same subsets have the same addresses, which are put together once for all of them. */
function* groupsBySubsets(subsets: readonly EndpointSubset[]): Iterable<Group> {
  const shared = withSharedAddresses(subsets);
  const groups = new Map<string, { places: readonly number[]; ports: EndpointPort[] }>();
  for (const { port, places } of placesByPort(subsets)) {
    const group = groups.get(places.join()) ?? { places, ports: [] };
    group.ports.push(port);
    groups.set(places.join(), group);
  }
  for (const { places, ports } of groups.values()) yield { readiness: readinessIn(shared, places), ports };
}

/** Each port once, and the positions of the subsets that it stands in. */
function placesByPort(subsets: readonly EndpointSubset[]): Iterable<{ port: EndpointPort; places: number[] }> {
  const byPort = new Map<string, { port: EndpointPort; places: number[] }>();
  for (const [place, { ports = [] }] of subsets.entries()) {
    for (const port of ports) {
      const text = printPort(port);
      const known = byPort.get(text);
      if (!known) byPort.set(text, { port, places: [place] });
      else if (known.places.at(-1) !== place) known.places.push(place);
    }
  }
  return byPort.values();
}

function readinessIn(subsets: readonly SharedAddresses[], places: readonly number[]): Readiness {
  const readiness: Readiness = new Map();
  for (const place of places) {
    const { ready, notReady } = subsets[place]!;
    for (const address of ready) if (!readiness.has(address)) readiness.set(address, true);
    for (const address of notReady) readiness.set(address, false);
  }
  return readiness;
}

/** Addresses of a subset, in which one that comes twice, here or elsewhere, is the same object. */
interface SharedAddresses {
  readonly ready: readonly EndpointAddress[];
  readonly notReady: readonly EndpointAddress[];
}

function withSharedAddresses(subsets: readonly EndpointSubset[]): SharedAddresses[] {
  const known = new Map<string, EndpointAddress>();
  const first = (address: EndpointAddress): EndpointAddress => firstOf(known, address);
  return subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    // What answers on no port does not answer.
    ports.length === 0
      ? { ready: [], notReady: [] }
      : { ready: addresses.map(first), notReady: notReadyAddresses.map(first) },
  );
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

function toSubset({ readiness, ports }: Group): EndpointSubset {
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
