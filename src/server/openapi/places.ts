import type { ServedVersion } from '../../kinds/served-version.ts';
import { groupAndVersionAt } from '../listed-resources.ts';
import type { Endpoint, ResourceRoutes, Routes } from '../route.ts';

/** A path of the API, with its parameters in braces, and what stands there. */
export interface Place {
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly prefix: string;
  readonly group: string;
  readonly version: string;
  /** Path segment of the resource. */
  readonly resource: string;
  readonly served: ServedVersion;
  readonly namespaced: boolean;
  readonly scope: 'everywhere' | 'collection' | 'object';
  readonly form: 'plain' | 'watch' | 'proxy';
  readonly subresource?: string;
  readonly takesPath: boolean;
}

/** Every path that leads to a resource. */
export function placesOf(routes: Routes): Place[] {
  return [...routes].flatMap(([prefix, resources]) =>
    [...resources.values()].flatMap((each) => resourcePlaces(prefix, each)),
  );
}

type Home = Omit<Place, 'path' | 'endpoint' | 'scope' | 'form' | 'takesPath' | 'subresource'>;

function resourcePlaces(prefix: string, resource: ResourceRoutes): Place[] {
  const { name, served, namespaced } = resource;
  const home = { prefix, ...groupAndVersionAt(prefix), resource: name, served, namespaced };
  return [...plainPlaces(home, resource), ...watchPlaces(home, resource), ...proxyPlaces(home, resource)];
}

function plainPlaces(home: Home, resource: ResourceRoutes): Place[] {
  const { prefix, resource: name } = home;
  const place = { ...home, form: 'plain', takesPath: false } as const;
  const base = `${prefix}${namespacePart(home)}/${name}`;
  const places: Place[] = [];
  const { collection, everywhere, object } = resource;
  if (collection) places.push({ ...place, path: base, endpoint: collection, scope: 'collection' });
  if (everywhere) places.push({ ...place, path: `${prefix}/${name}`, endpoint: everywhere, scope: 'everywhere' });
  if (object) places.push({ ...place, path: `${base}/{name}`, endpoint: object, scope: 'object' });
  for (const [subresource, { endpoint, takesPath }] of resource.subresources) {
    const part = { ...place, path: `${base}/{name}/${subresource}`, endpoint, subresource, scope: 'object' } as const;
    places.push(part);
    if (takesPath) places.push({ ...part, path: `${part.path}/{path}`, takesPath });
  }
  return places;
}

function watchPlaces(home: Home, { watch: endpoint }: ResourceRoutes): Place[] {
  if (!endpoint) return [];
  const { prefix, resource, namespaced } = home;
  const place = { ...home, endpoint, form: 'watch', takesPath: false } as const;
  const base = `${prefix}/watch${namespacePart(home)}/${resource}`;
  const places: Place[] = [
    { ...place, path: base, scope: 'collection' },
    { ...place, path: `${base}/{name}`, scope: 'object' },
  ];
  return namespaced ? [{ ...place, path: `${prefix}/watch/${resource}`, scope: 'everywhere' }, ...places] : places;
}

/** The older way to write proxy paths. */
function proxyPlaces(home: Home, { subresources }: ResourceRoutes): Place[] {
  const proxy = subresources.get('proxy');
  if (!proxy) return [];
  const path = `${home.prefix}/proxy${namespacePart(home)}/${home.resource}/{name}`;
  const { endpoint } = proxy;
  const place = { ...home, path, endpoint, form: 'proxy', scope: 'object', subresource: 'proxy' } as const;
  return [
    { ...place, takesPath: false },
    { ...place, path: `${path}/{path}`, takesPath: true },
  ];
}

function namespacePart({ namespaced }: Home): string {
  return namespaced ? '/namespaces/{namespace}' : '';
}
