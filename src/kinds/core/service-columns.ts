import { ageColumn, listed, nameColumn, none, pairs, type Column } from '../column.ts';
import { balancerAddresses } from './load-balancer-status.ts';
import type { ServicePort } from './service-port.ts';
import type { Service } from './service.ts';

function externalAddresses({ spec, status }: Service): string {
  const addresses = spec?.externalIPs ?? [];
  if (spec?.type !== 'LoadBalancer') return listed(addresses);
  return [...balancerAddresses(status?.loadBalancer), ...addresses].join(',') || '<pending>';
}

function portText({ port, nodePort, protocol }: ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}

export const serviceColumns: readonly Column<Service>[] = [
  nameColumn,
  { name: 'Type', description: 'From where the service can be reached.', read: ({ spec }) => spec?.type ?? '' },
  { name: 'Cluster-IP', description: 'Its address in the cluster.', read: ({ spec }) => spec?.clusterIP ?? none },
  { name: 'External-IP', description: 'Its addresses outside the cluster.', read: externalAddresses },
  {
    name: 'Port(s)',
    description: 'Its ports, with those of the nodes behind a colon.',
    read: ({ spec }) => listed((spec?.ports ?? []).map(portText)),
  },
  ageColumn,
  { name: 'Selector', description: 'Labels of its pods.', wide: true, read: ({ spec }) => pairs(spec?.selector) },
];
