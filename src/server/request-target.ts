import { badRequest, pathNotFound } from '../kinds/meta/api-error.ts';
import type { Endpoint, ResourceRoutes, Routes } from './route.ts';

/** What a path leads to. The method decides what is done there. */
export interface RequestTarget {
  readonly resource: ResourceRoutes;
  readonly endpoint: Endpoint;
  /** Absent for kinds of the cluster, and for collections over all namespaces. */
  readonly namespace?: string;
  /** Absent for collections. */
  readonly name?: string;
  readonly subresource?: string;
  /** Whether the path is of the older form, with `proxy` before the resource. */
  readonly isOldProxy?: boolean;
  /** What stands behind `/proxy`, as it was sent; begins with a slash, or is empty. */
  readonly rest: string;
}

const longestSegment = 253;

/**
 * Finds the endpoint for a path below a group's prefix; undefined when the path is not below one. Each segment is decoded once and only
 * after the path was split, so an encoded slash never splits. One slash at the end is overlooked.
 */
export function parseTarget(path: string, routes: Routes): RequestTarget | undefined {
  const segments = path.split('/');
  const start = segments[1] === 'api' ? 3 : 4;
  const group = routes.get(start === 3 ? `/api/${segments[2]}` : `/${segments[1]}/${segments[2]}/${segments[3]}`);
  if (!group) return undefined;
  if (segments.at(-1) === '') segments.pop();
  if (segments.length <= start) return undefined;
  const mode = segments[start];
  const prefixed = mode === 'watch' || mode === 'proxy';
  const place = locate(segments, prefixed ? start + 1 : start, prefixed ? undefined : group.get('namespaces'));
  const resource = group.get(place.resource);
  if (!resource || (place.namespace !== undefined && !resource.namespaced)) throw pathNotFound(path);
  const names = decodeNames(segments, place, path);
  const parts = { resource, ...names, segments: segments.slice(place.next), slash: path.endsWith('/') ? '/' : '' };
  const target = mode === 'watch' ? watchTarget(parts) : mode === 'proxy' ? proxyTarget(parts) : plainTarget(parts);
  if (!target) throw pathNotFound(path);
  return target;
}

/** Where in a path the resource stands, and what stands before it. */
interface Place {
  readonly resource: string;
  /** Still encoded. */
  readonly namespace?: string;
  /** Index of the segment behind the resource. */
  readonly next: number;
}

function locate(segments: readonly string[], start: number, namespaces: ResourceRoutes | undefined): Place {
  const first = segments[start] ?? '';
  const third = segments[start + 2];
  if (first !== 'namespaces' || third === undefined) return { resource: first, next: start + 1 };
  if (namespaces?.subresources.has(third)) return { resource: first, next: start + 1 };
  return { resource: third, namespace: segments[start + 1], next: start + 3 };
}

function decodeNames(
  segments: readonly string[],
  place: Place,
  path: string,
): { readonly namespace?: string; readonly name?: string } {
  const name = segments[place.next];
  return {
    namespace: place.namespace === undefined ? undefined : decodeSegment(place.namespace, path),
    name: name === undefined ? undefined : decodeSegment(name, path),
  };
}

function decodeSegment(segment: string, path: string): string {
  if (segment === '' || segment.length > longestSegment * 3) throw pathNotFound(path);
  const text = segment.includes('%') ? decodePercents(segment) : segment;
  if (text.length > longestSegment) throw pathNotFound(path);
  // Keys in storage are paths, too: no name may lead out of its place.
  if (text.includes('/')) throw pathNotFound(path);
  if (text === '.' || text === '..' || text.includes('\0')) {
    throw badRequest(`${JSON.stringify(text)} cannot be a name`);
  }
  return text;
}

function decodePercents(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw badRequest(`${JSON.stringify(segment)} is not percent-encoded UTF-8`, { cause });
  }
}

interface TargetParts {
  readonly resource: ResourceRoutes;
  readonly namespace?: string;
  readonly name?: string;
  /** From the name on. */
  readonly segments: readonly string[];
  readonly slash: string;
}

function plainTarget(parts: TargetParts): RequestTarget | undefined {
  const { resource, namespace, name, segments } = parts;
  if (name === undefined) {
    const endpoint = resource.namespaced && namespace === undefined ? resource.everywhere : resource.collection;
    return endpoint && { resource, endpoint, namespace, rest: '' };
  }
  if (resource.namespaced && namespace === undefined) return undefined;
  const subresource = segments[1];
  if (subresource === undefined) {
    return resource.object && { resource, endpoint: resource.object, namespace, name, rest: '' };
  }
  const part = resource.subresources.get(subresource);
  if (!part || (segments.length > 2 && !part.takesPath)) return undefined;
  const rest = part.takesPath ? restOf(parts, 2) : '';
  return { resource, endpoint: part.endpoint, namespace, name, subresource, rest };
}

function watchTarget({ resource, namespace, name, segments }: TargetParts): RequestTarget | undefined {
  if (!resource.watch || segments.length > 1) return undefined;
  if (name !== undefined && resource.namespaced && namespace === undefined) return undefined;
  return { resource, endpoint: resource.watch, namespace, name, rest: '' };
}

/** The older way to write a proxy path: the whole of the rest belongs to what is reached. */
function proxyTarget(parts: TargetParts): RequestTarget | undefined {
  const { resource, namespace, name } = parts;
  const proxy = resource.subresources.get('proxy');
  if (!proxy || name === undefined || (resource.namespaced && namespace === undefined)) return undefined;
  const rest = restOf(parts, 1);
  return { resource, endpoint: proxy.endpoint, namespace, name, subresource: 'proxy', isOldProxy: true, rest };
}

function restOf({ segments, slash }: TargetParts, from: number): string {
  return segments.length > from ? `/${segments.slice(from).join('/')}${slash}` : slash;
}
