import type { Informer } from '../client/informer.ts';
import { keyOf } from '../client/object-name.ts';
import type { Service } from '../kinds/core/service.ts';
import type { ServicesOf } from './spreading.ts';

/** Finds the services that choose a pod without looking at all services: by one label that a service asks for. */
export function servicesIndex(services: Informer<Service>): ServicesOf {
  const byLabel = services.index(firstLabel);
  return (namespace, labels) =>
    Object.entries(labels).flatMap(([label, value]) =>
      byLabel
        .get(indexValue(namespace, label, value))
        .filter((service) => chooses(service, labels))
        .map((service) => keyOf(service)),
    );
}

/** A service without a selector chooses nothing. */
function firstLabel({ metadata, spec }: Service): readonly string[] {
  const [first] = Object.entries(spec?.selector ?? {});
  return first ? [indexValue(metadata.namespace ?? '', ...first)] : [];
}

function indexValue(namespace: string, label: string, value: string): string {
  return `${namespace} ${label}=${value}`;
}

function chooses({ spec }: Service, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(spec?.selector ?? {}).every(([label, value]) => labels[label] === value);
}
