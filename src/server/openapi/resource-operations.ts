import { deleteOptions } from '../../kinds/meta/delete-options.ts';
import { status } from '../../kinds/meta/status.ts';
import { patchTypes } from '../../registry/patch/patch.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import type { Discovery } from '../discovery.ts';
import { groupAndVersionAt, listedResources } from '../listed-resources.ts';
import type { Operation, Routes } from '../route.ts';
import { anyMediaType, objectMediaTypes, type ApiOperation } from './api-operation.ts';
import { operationId, operationTag } from './operation-id.ts';
import { pathParameters, queryParameters } from './parameters.ts';
import { placesOf, type Place } from './places.ts';
import { patch, watchEvent } from './shared-types.ts';
import type { DescribedType, GroupVersionKind, TypeCatalog } from './type-catalog.ts';

/** Every operation on resources, from what is routed and what discovery says about it. */
export function resourceOperations(routes: Routes, discovery: Discovery, types: TypeCatalog): ApiOperation[] {
  const kinds = exchangedKinds(routes, discovery);
  return placesOf(routes).flatMap((place) =>
    [...place.endpoint].map(([method, operation]) => describe({ place, method, operation, kinds, types })),
  );
}

/** The kinds that are sent and answered, by prefix and name of the resource or sub-resource. */
type ExchangedKinds = ReadonlyMap<string, GroupVersionKind>;

function exchangedKinds(routes: Routes, discovery: Discovery): ExchangedKinds {
  const kinds = new Map<string, GroupVersionKind>();
  for (const prefix of routes.keys()) {
    const home = groupAndVersionAt(prefix);
    for (const { name, kind, group = home.group, version = home.version } of listedResources(discovery, prefix)) {
      kinds.set(`${prefix}/${name}`, { group, version, kind });
    }
  }
  return kinds;
}

interface Use {
  readonly place: Place;
  readonly method: string;
  readonly operation: Operation;
  readonly kinds: ExchangedKinds;
  readonly types: TypeCatalog;
}

function describe(use: Use): ApiOperation {
  const { place, method, operation, kinds } = use;
  const { prefix, path, group, version, resource, subresource, served } = place;
  const action = actionOf(use);
  const isConnection = action === 'connect';
  const owner = kinds.get(`${prefix}/${resource}`)?.kind ?? served.kind.kind;
  return {
    path,
    part: prefix.slice(1),
    method,
    id: operationId(place, owner, action, method),
    tag: operationTag(group, version),
    description: descriptionOf(place, owner, action),
    action,
    target: exchangedKind(use),
    parameters: [...pathParameters(path), ...queriesOf(place, operation)],
    body: bodyOf(use),
    answer: answerOf(use),
    codes: isConnection ? [] : action === 'post' ? [(operation.answers ?? served).createdCode] : [200],
    consumes: action === 'patch' ? Object.keys(patchTypes) : anyMediaType,
    produces: isConnection ? anyMediaType : producedBy(operation, subresource),
  };
}

function producedBy({ style, verb }: Operation, subresource: string | undefined): readonly string[] {
  if (verb === 'watch') return ['application/json'];
  return style === 'stream' && subresource !== undefined ? ['text/plain', ...objectMediaTypes] : objectMediaTypes;
}

/** A stream of a sub-resource: bytes rather than objects. */
function isByteStream({ style, verb }: Operation): boolean {
  return style === 'stream' && verb !== 'watch';
}

function queriesOf({ form, subresource }: Place, operation: Operation): ReturnType<typeof queryParameters> {
  // The older way to write proxy paths leaves the query to what is reached.
  if (form === 'proxy') return [];
  if (isByteStream(operation)) return queryParameters(operation.verb, subresource);
  const queries = queryParameters(operation.verb, undefined);
  const isPart = subresource !== undefined && operation.verb === 'get';
  return isPart ? queries.filter(({ name }) => name === 'pretty') : queries;
}

const actions: Readonly<Record<string, string>> = { create: 'post', update: 'put' };

function actionOf({ place, operation }: Use): string {
  const { verb } = operation;
  if (verb === 'watch') return place.scope === 'object' ? 'watch' : 'watchlist';
  // A log is a stream, too, but is read as an object is.
  if (isByteStream(operation) && place.endpoint.size > 1) return 'connect';
  return actions[verb] ?? verb;
}

function exchangedKind({ place, kinds }: Use): GroupVersionKind {
  const { prefix, resource, subresource, served } = place;
  const name = subresource === undefined ? resource : `${resource}/${subresource}`;
  const { group, version, kind } = served;
  return kinds.get(`${prefix}/${name}`) ?? { group, version, kind: kind.kind };
}

function exchangedType(use: Use): DescribedType {
  return use.types.ofKind(exchangedKind(use));
}

function sharedType({ types }: Use, schema: ObjectSchema): DescribedType {
  return types.of(schema, '');
}

function bodyOf(use: Use): ApiOperation['body'] {
  if (isByteStream(use.operation)) return undefined;
  switch (use.operation.verb) {
    case 'create':
    case 'update':
      return { type: exchangedType(use), required: true };
    case 'patch':
      return { type: sharedType(use, patch), required: true };
    case 'delete':
    case 'deletecollection':
      return { type: sharedType(use, deleteOptions), required: false };
    default:
      return undefined;
  }
}

function answerOf(use: Use): DescribedType | undefined {
  const { place, operation } = use;
  const { group, version, kind } = place.served;
  if (isByteStream(operation)) return undefined;
  switch (operation.verb) {
    case 'watch':
      return sharedType(use, watchEvent);
    case 'list':
    case 'deletecollection':
      return use.types.ofKind({ group, version, kind: `${kind.kind}List` });
    case 'delete':
      return kind.deleteAnswersObject ? exchangedType(use) : sharedType(use, status);
    case 'create': {
      // What is sent but not stored is carried out, and the answer says so.
      const sent = exchangedType(use);
      return operation.answers || sent.schema === place.served.schema ? sent : sharedType(use, status);
    }
    default:
      return exchangedType(use);
  }
}

const sentences: Readonly<Record<string, string>> = {
  get: 'Reads',
  list: 'Lists, or with watch streams changes of,',
  post: 'Creates',
  put: 'Replaces',
  patch: 'Changes parts of',
  delete: 'Deletes',
  deletecollection: 'Deletes all or some',
  watch: 'Streams changes of',
  watchlist: 'Streams changes of',
  connect: 'Connects to',
};

function descriptionOf(place: Place, owner: string, action: string): string {
  const { resource, subresource, scope, namespaced } = place;
  const one = subresource ? `the ${subresource} of one ${owner}` : `one ${owner}`;
  const what = scope === 'object' || action === 'post' ? one : resource;
  const where = namespaced && scope === 'everywhere' ? ' in all namespaces' : '';
  return `${sentences[action] ?? action} ${what}${where}.`;
}
