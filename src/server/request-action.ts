import type { IncomingMessage } from 'node:http';
import type { RequestAction } from '../access/authz/request-action.ts';
import { ApiError } from '../kinds/meta/api-error.ts';
import { parseFieldSelector } from '../registry/selectors/field-selector.ts';
import type { User } from '../registry/write.ts';
import type { RequestTarget } from './request-target.ts';

export type { RequestAction } from '../access/authz/request-action.ts';

/** Who sends a request; refuses by throwing an `ApiError`. */
export type Authenticate = (request: IncomingMessage) => User | Promise<User>;

/** Refuses by throwing an `ApiError`, at once or by a rejection. */
export type Authorize = (user: User, action: RequestAction) => void | Promise<void>;

export interface ActionParts {
  readonly target: RequestTarget;
  readonly verb: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** What a request for a resource wants to do. */
export function actionOf({ target, verb, path, query }: ActionParts): RequestAction {
  const { resource, namespace } = target;
  const fields = collectionVerbs.has(verb) ? exactFields(target, query) : undefined;
  const name = target.name ?? fields?.get('metadata.name');
  // What is done to a namespace happens in it, too, so that its administrators can be allowed to.
  const isNamespace = resource.name === 'namespaces' && target.name !== undefined;
  const { group, version } = resource.served;
  const isOldProxy = target.isOldProxy ?? false;
  return {
    verb: isOldProxy ? 'proxy' : verb,
    path,
    group,
    version,
    resource: resource.name,
    subresource: isOldProxy ? undefined : target.subresource,
    namespace: isNamespace ? target.name : namespace,
    name,
    fields: isOldProxy ? undefined : fields,
  };
}

/** For a path that is no resource, or leads nowhere. */
export function pathAction(method: string | undefined, path: string): RequestAction {
  return { verb: (method ?? 'GET').toLowerCase(), path };
}

const collectionVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** What is wrong with a selector is told once it is known that the request is allowed at all. */
function exactFields(target: RequestTarget, query: URLSearchParams): ReadonlyMap<string, string> | undefined {
  const text = query.get('fieldSelector');
  if (!text) return undefined;
  try {
    return parseFieldSelector(text, target.resource.served.kind).exact;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** What a method would do where it is not possible: whether it is possible is no business of those who may not do it. */
export function impossibleVerb(method: string, { name }: RequestTarget): string {
  const verb = verbs[method] ?? 'get';
  if (name !== undefined) return verb;
  return verb === 'delete' ? 'deletecollection' : verb === 'get' ? 'list' : verb;
}
