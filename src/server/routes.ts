import { componentStatus } from '../kinds/core/component-status.ts';
import { extensionsForm } from '../kinds/extensions/scale-form.ts';
import type { Kind, Verb } from '../kinds/kind.ts';
import { servedVersions, type ServedVersion } from '../kinds/served-version.ts';
import { isQuestion, type AnsweredKind, type QuestionKind } from '../registry/answered-kind.ts';
import type { ComputedKind } from '../registry/computed-kind.ts';
import { answering } from './verbs/answer-kind.ts';
import { getComponentStatus, listComponentStatuses } from './verbs/component-status.ts';
import { gettingComputed, listingComputed } from './verbs/computed.ts';
import { createObject } from './verbs/create.ts';
import { deleteCollection } from './verbs/delete-collection.ts';
import { deleteObject } from './verbs/delete.ts';
import { getObject } from './verbs/get.ts';
import { listObjects } from './verbs/list.ts';
import { patchObject } from './verbs/patch.ts';
import type { Endpoint, Operation, ResourceRoutes, Routes, SubresourceRoute } from './route.ts';
import { endpoint } from './endpoint.ts';
import { bindingEndpoint, scaleRoute, subresourcesOf } from './subresource-routes.ts';
import { listShapes, objectShapes } from './table/shape.ts';
import { updateObject } from './verbs/update.ts';
import { watchObjects } from './watch/watch.ts';

/** Every path of the API, worked out once from the kinds. */
export function buildRoutes(kinds: readonly Kind[], answered: readonly AnsweredKind[] = []): Routes {
  const routes = new Map<string, Map<string, ResourceRoutes>>();
  function add(prefix: string, resource: ResourceRoutes): void {
    let group = routes.get(prefix);
    if (!group) routes.set(prefix, (group = new Map<string, ResourceRoutes>()));
    if (!group.has(resource.name)) group.set(resource.name, resource);
  }
  const served = kinds.flatMap((kind) => servedVersions(kind));
  for (const version of served) add(version.prefix, resourceRoutes(version, answered));
  for (const version of servedVersions(componentStatus)) add(version.prefix, componentStatusRoutes(version));
  for (const version of served) addUnstored(version, add);
  for (const kind of answered) {
    for (const version of servedVersions(kind.kind)) {
      if (!isQuestion(kind)) add(version.prefix, computedRoutes(kind, version));
      else if (!kind.parent) add(version.prefix, questionRoutes(kind, version));
    }
  }
  return routes;
}

function resourceRoutes(served: ServedVersion, answered: readonly AnsweredKind[]): ResourceRoutes {
  const { kind } = served;
  const can = (verb: Verb, operation: Operation): Operation | undefined =>
    kind.verbs.includes(verb) ? operation : undefined;
  const listing = can('list', { verb: 'list', style: 'answer', shapes: listShapes, run: listObjects });
  return {
    name: kind.resource,
    namespaced: kind.namespaced,
    served,
    collection: endpoint({
      GET: listing,
      POST: can('create', { verb: 'create', style: 'answer', shapes: objectShapes, run: createObject }),
      DELETE: can('deletecollection', { verb: 'deletecollection', style: 'answer', run: deleteCollection }),
    }),
    everywhere: kind.namespaced ? endpoint({ GET: listing }) : undefined,
    object: objectEndpoint(can),
    subresources: new Map([...subresourcesOf(served), ...answeredParts(served, answered)]),
    watch: watchEndpoint(kind),
  };
}

function objectEndpoint(can: (verb: Verb, operation: Operation) => Operation | undefined): Endpoint {
  return endpoint({
    GET: can('get', { verb: 'get', style: 'answer', shapes: objectShapes, run: getObject }),
    PUT: can('update', { verb: 'update', style: 'answer', shapes: objectShapes, run: updateObject }),
    PATCH: can('patch', { verb: 'patch', style: 'answer', shapes: objectShapes, run: patchObject }),
    DELETE: can('delete', { verb: 'delete', style: 'answer', shapes: objectShapes, run: deleteObject }),
  });
}

function watchEndpoint(kind: Kind): Endpoint | undefined {
  if (!kind.verbs.includes('watch')) return undefined;
  return endpoint({ GET: { verb: 'watch', style: 'stream', run: watchObjects } });
}

function componentStatusRoutes(served: ServedVersion): ResourceRoutes {
  return {
    name: served.kind.resource,
    namespaced: false,
    served,
    collection: endpoint({ GET: { verb: 'list', style: 'answer', shapes: listShapes, run: listComponentStatuses } }),
    object: endpoint({ GET: { verb: 'get', style: 'answer', shapes: objectShapes, run: getComponentStatus } }),
    subresources: new Map(),
  };
}

function questionRoutes(kind: QuestionKind, served: ServedVersion): ResourceRoutes {
  const { resource, namespaced } = kind.kind;
  const collection = endpoint({ POST: answering(kind) });
  return { name: resource, namespaced, served, collection, subresources: new Map() };
}

function computedRoutes(computed: ComputedKind, served: ServedVersion): ResourceRoutes {
  const { resource, namespaced } = computed.kind;
  const collection = endpoint({ GET: listingComputed(computed) });
  return {
    name: resource,
    namespaced,
    served,
    collection,
    everywhere: namespaced ? collection : undefined,
    object: endpoint({ GET: gettingComputed(computed) }),
    subresources: new Map(),
  };
}

/** What can be asked of single objects of a kind. */
function answeredParts(served: ServedVersion, answered: readonly AnsweredKind[]): [string, SubresourceRoute][] {
  return answered
    .filter(isQuestion)
    .flatMap((kind) =>
      kind.parent?.kind === served.kind
        ? [[kind.parent.subresource, { endpoint: endpoint({ POST: answering(kind) }), takesPath: false }]]
        : [],
    );
}

/** What is served beside a kind: `bindings` for pods, and the scale of replication controllers in the extensions group, too. */
function addUnstored(served: ServedVersion, add: (prefix: string, resource: ResourceRoutes) => void): void {
  const { kind } = served;
  const none: ReadonlyMap<string, SubresourceRoute> = new Map();
  if (kind.resource === 'pods') {
    const bindings = { name: 'bindings', namespaced: true, served, collection: bindingEndpoint, subresources: none };
    add(served.prefix, bindings);
  }
  if (kind.resource === 'replicationcontrollers' && kind.group === '') {
    const scale = {
      name: kind.resource,
      namespaced: true,
      served,
      subresources: new Map([['scale', scaleRoute(extensionsForm)]]),
    };
    add('/apis/extensions/v1beta1', scale);
  }
}
