import type { Discovery } from './discovery.ts';
import { groupAndVersionAt, listedResources, type ListedResource } from './listed-resources.ts';

/** What later clients can ask `/api` and `/apis` for: all groups with all they hold, in one answer. */
export interface AggregatedDiscovery {
  readonly kind: 'APIGroupDiscoveryList';
  readonly apiVersion: string;
  readonly metadata: object;
  readonly items: readonly DiscoveredGroup[];
}

interface DiscoveredGroup {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly freshness: 'Current';
    readonly resources: readonly DiscoveredResource[];
  }[];
}

interface ResponseKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: ResponseKind;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: DiscoveredSubresource[];
}

interface DiscoveredSubresource {
  readonly subresource: string;
  readonly responseKind: ResponseKind;
  readonly verbs: readonly string[];
}

/** What is below `/api` or `/apis`, gathered from the documents that discovery has one by one. */
export function aggregateDiscovery(discovery: Discovery, root: '/api' | '/apis', version: string): AggregatedDiscovery {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: root === '/api' ? [coreGroup(discovery)] : namedGroups(discovery),
  };
}

function coreGroup(discovery: Discovery): DiscoveredGroup {
  const { versions } = read(discovery, '/api') as { versions: string[] };
  return { metadata: {}, versions: versions.map((version) => versionAt(discovery, `/api/${version}`)) };
}

function namedGroups(discovery: Discovery): DiscoveredGroup[] {
  const { groups } = read(discovery, '/apis') as { groups: ListedGroup[] };
  return groups.map(({ name, versions }) => ({
    metadata: { name },
    versions: versions.map(({ groupVersion }) => versionAt(discovery, `/apis/${groupVersion}`)),
  }));
}

interface ListedGroup {
  readonly name: string;
  readonly versions: readonly { readonly groupVersion: string }[];
}

function read(discovery: Discovery, path: '/api' | '/apis'): unknown {
  return JSON.parse(discovery.get(path)!.toString('utf8'));
}

function versionAt(discovery: Discovery, prefix: string): DiscoveredGroup['versions'][number] {
  const { version } = groupAndVersionAt(prefix);
  return { version, freshness: 'Current', resources: nest(listedResources(discovery, prefix), prefix) };
}

/** Sub-resources stand inside their resources; one whose resource is served elsewhere gets an empty one around it. */
function nest(listed: readonly ListedResource[], prefix: string): DiscoveredResource[] {
  const resources = new Map<string, DiscoveredResource>();
  for (const each of listed) if (!each.name.includes('/')) resources.set(each.name, whole(each, prefix));
  for (const each of listed) {
    const [name = '', subresource] = each.name.split('/');
    if (subresource === undefined) continue;
    const resource = resources.get(name) ?? { ...whole(each, prefix), resource: name, responseKind: noKind, verbs: [] };
    resources.set(name, resource);
    resource.subresources?.push({ subresource, responseKind: kindOf(each, prefix), verbs: each.verbs });
  }
  return [...resources.values()].map(withoutEmpty);
}

const noKind: ResponseKind = { group: '', version: '', kind: '' };

function whole(listed: ListedResource, prefix: string): DiscoveredResource {
  const { name, namespaced, singularName, verbs, shortNames, categories } = listed;
  return {
    resource: name,
    responseKind: kindOf(listed, prefix),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singularName,
    verbs,
    shortNames,
    categories,
    subresources: [],
  };
}

function kindOf({ kind, group, version }: ListedResource, prefix: string): ResponseKind {
  const home = groupAndVersionAt(prefix);
  return { group: group ?? home.group, version: version ?? home.version, kind };
}

function withoutEmpty({ subresources, ...resource }: DiscoveredResource): DiscoveredResource {
  return subresources?.length ? { ...resource, subresources } : resource;
}
