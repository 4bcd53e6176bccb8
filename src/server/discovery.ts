import { createHash } from 'node:crypto';
import { componentStatus } from '../kinds/core/component-status.ts';
import { scaleFormIn } from '../kinds/extensions/scale-form.ts';
import type { Kind } from '../kinds/kind.ts';
import { servedVersions, type ServedVersion } from '../kinds/served-version.ts';
import type { AnsweredKind } from '../registry/answered-kind.ts';
import { answeredResource, unstoredResources, type UnstoredResource } from './unstored-resources.ts';

export interface DiscoveryOptions {
  readonly kinds: readonly Kind[];
  readonly answeredKinds?: readonly AnsweredKind[];
  /** `host:port` that clients reach the server at, if it is known. */
  readonly serverAddress?: string;
  /** Paths besides the groups that `/` lists, such as `/version`. */
  readonly otherPaths?: readonly string[];
}

/** What the server says it serves, as ready JSON by path (`/`, `/api`, `/api/v1`, `/apis/extensions`, ...). */
export type Discovery = ReadonlyMap<string, Buffer>;

/** What `kubectl get all` means: things that run, and what leads to them. */
const workloads: ReadonlySet<string> = new Set([
  'pods',
  'replicationcontrollers',
  'services',
  'daemonsets',
  'deployments',
  'replicasets',
  'jobs',
  'horizontalpodautoscalers',
]);

interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

/** Works out every document once. */
export function buildDiscovery(options: DiscoveryOptions): Discovery {
  const served = [...options.kinds, componentStatus].flatMap((kind) => servedVersions(kind));
  const unstored = [...unstoredResources, ...(options.answeredKinds ?? []).map(answeredResource)];
  const apiVersions = [...new Set([...served, ...unstored].map(({ apiVersion }) => apiVersion))];
  const addresses = options.serverAddress ? [{ clientCIDR: '0.0.0.0/0', serverAddress: options.serverAddress }] : [];
  const groups = groupsOf(apiVersions, addresses);
  const documents = new Map<string, object>();
  documents.set('/api', {
    kind: 'APIVersions',
    apiVersion: 'v1',
    versions: apiVersions.filter((apiVersion) => !apiVersion.includes('/')),
    serverAddressByClientCIDRs: addresses,
  });
  documents.set('/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups });
  for (const group of groups) documents.set(`/apis/${group.name}`, { kind: 'APIGroup', apiVersion: 'v1', ...group });
  for (const apiVersion of apiVersions) documents.set(prefixOf(apiVersion), resourceList(apiVersion, served, unstored));
  documents.set('/', { paths: [...documents.keys(), ...(options.otherPaths ?? [])].sort() });
  return new Map([...documents].map(([path, document]) => [path, Buffer.from(JSON.stringify(document))]));
}

function prefixOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** The named groups; the first version of a group is the preferred one. */
function groupsOf(apiVersions: readonly string[], serverAddressByClientCIDRs: readonly object[]): { name: string }[] {
  const names = new Set(apiVersions.map((apiVersion) => groupAndVersion(apiVersion).group));
  names.delete('');
  return [...names].sort().map((name) => {
    const members = apiVersions.filter((apiVersion) => groupAndVersion(apiVersion).group === name);
    const versions = members.map((groupVersion) => ({ groupVersion, version: groupAndVersion(groupVersion).version }));
    return { name, versions, preferredVersion: versions[0]!, serverAddressByClientCIDRs };
  });
}

function resourceList(
  groupVersion: string,
  served: readonly ServedVersion[],
  unstored: readonly UnstoredResource[],
): object {
  const stored = served.filter(({ apiVersion }) => apiVersion === groupVersion).flatMap(resourcesOf);
  const others = unstored.filter(({ apiVersion }) => apiVersion === groupVersion).map(unstoredResource);
  const resources = [...stored, ...others].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

/** A kind and the sub-resources that follow from its description. */
function resourcesOf(served: ServedVersion): ApiResource[] {
  const { kind } = served;
  const whole: ApiResource = {
    name: kind.resource,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: [...kind.verbs].sort(),
    shortNames: kind.shortNames.length > 0 ? kind.shortNames : undefined,
    categories: workloads.has(kind.resource) && !isSuperseded(served) ? ['all'] : undefined,
    storageVersionHash: kind.verbs.includes('create') ? storageVersionHash(kind) : undefined,
  };
  const part = { singularName: '', namespaced: kind.namespaced };
  const statusVerbs = served.inContract ? ['update'] : ['get', 'patch', 'update'];
  const parts: ApiResource[] = [];
  if (kind.hasStatus) parts.push({ ...part, name: `${kind.resource}/status`, kind: kind.kind, verbs: statusVerbs });
  if (kind.scale) {
    const { group, version, apiVersion } = scaleFormIn(served.group);
    const foreign = served.apiVersion === apiVersion ? undefined : { group, version };
    parts.push({
      ...part,
      name: `${kind.resource}/scale`,
      ...foreign,
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
  }
  return [whole, ...parts];
}

/** What has moved to a group of its own would be shown twice if both groups counted. */
function isSuperseded({ kind, conversion }: ServedVersion): boolean {
  return conversion === undefined && (kind.otherVersions ?? []).length > 0;
}

function unstoredResource(resource: UnstoredResource): ApiResource {
  const { name, group, version, kind, namespaced, verbs, singular = '' } = resource;
  return { name, singularName: singular, namespaced, group, version, kind, verbs };
}

function groupAndVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1) };
}

/** Tells clients when the form in which objects are kept changes. */
function storageVersionHash(kind: Kind): string {
  return createHash('sha256')
    .update(`${kind.group}/${kind.version}/${kind.kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
}
