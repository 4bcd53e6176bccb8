import type { IncomingMessage } from 'node:http';
import { methodNotAllowed } from '../kinds/meta/api-error.ts';
import { flag } from './verbs/query.ts';
import { actionOf, impossibleVerb, pathAction, type RequestAction } from './request-action.ts';
import { parseTarget, type RequestTarget } from './request-target.ts';
import type { Operation, Routes } from './route.ts';

/** A request that is known to lead to a resource, and what it wants to do there. */
export interface Call {
  readonly target: RequestTarget;
  readonly operation: Operation;
  readonly isWatch: boolean;
  readonly action: RequestAction;
}

/** A request that leads nowhere. Why is told only to those who may do there what it asks for. */
export interface Dead {
  readonly refusal: unknown;
  readonly action: RequestAction;
  /** What is possible instead. */
  readonly allowed?: readonly string[];
}

/** Where a request leads to; undefined for paths that are no resource. */
export function findCall(
  request: IncomingMessage,
  { path, query, routes }: { readonly path: string; readonly query: URLSearchParams; readonly routes: Routes },
): Call | Dead | undefined {
  const method = request.method ?? 'GET';
  let target: RequestTarget | undefined;
  try {
    target = knownTarget(path, routes);
  } catch (refusal) {
    return { refusal, action: pathAction(method, path) };
  }
  if (!target) return undefined;
  const { endpoint, resource } = target;
  const operation = endpoint.get(method) ?? (method === 'HEAD' ? endpoint.get('GET') : undefined);
  if (!operation) return impossible(method, { target, path, query });
  const watchable = operation.verb === 'list' && resource.served.kind.verbs.includes('watch');
  const isWatch = operation.verb === 'watch' || (watchable && flag(query, 'watch'));
  const action = actionOf({ target, verb: isWatch ? 'watch' : operation.verb, path, query });
  return { target, operation, isWatch, action };
}

/** Clients ask for the same things again and again. What a path leads to never changes. */
const mostKnown = 2000;
const longestKnown = 512;
const targetsByRoutes = new WeakMap<Routes, Map<string, RequestTarget>>();

function knownTarget(path: string, routes: Routes): RequestTarget | undefined {
  let targets = targetsByRoutes.get(routes);
  if (!targets) targetsByRoutes.set(routes, (targets = new Map<string, RequestTarget>()));
  const known = targets.get(path);
  if (known) return known;
  const target = parseTarget(path, routes);
  if (targets.size >= mostKnown) targets.clear();
  if (target && path.length < longestKnown) targets.set(path, target);
  return target;
}

function impossible(
  method: string,
  { target, path, query }: { readonly target: RequestTarget; readonly path: string; readonly query: URLSearchParams },
): Dead {
  const { endpoint, resource, subresource, name } = target;
  const what = subresource ? `${resource.name}/${subresource}` : resource.name;
  return {
    refusal: methodNotAllowed(method, { resource: what, name }),
    action: actionOf({ target, verb: impossibleVerb(method, target), path, query }),
    allowed: [...endpoint.keys()],
  };
}
