import type { ObjectSchema } from '../../schema/schema.ts';
import type { Discovery } from '../discovery.ts';
import { groupAndVersionAt } from '../listed-resources.ts';
import { objectMediaTypes, type ApiOperation } from './api-operation.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './discovery-types.ts';
import { homeWord, operationTag } from './operation-id.ts';
import type { TypeCatalog } from './type-catalog.ts';

/** Reading what is served: of everything, of each group and of each version. */
export function discoveryOperations(discovery: Discovery, types: TypeCatalog): ApiOperation[] {
  const paths = [...discovery.keys()].filter((path) => path.startsWith('/api')).sort();
  return paths.map((path) => {
    const { schema, ...rest } = documentAt(path);
    return {
      ...rest,
      path,
      part: path.slice(1),
      method: 'GET',
      parameters: [],
      answer: types.of(schema, ''),
      codes: [200],
      consumes: objectMediaTypes,
      produces: objectMediaTypes,
    };
  });
}

interface DiscoveryDocument {
  readonly schema: ObjectSchema;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
}

function documentAt(path: string): DiscoveryDocument {
  const [, , first, second] = path.split('/');
  if (first === undefined) return path === '/api' ? coreVersions : namedGroups;
  if (path.startsWith('/apis/') && second === undefined) {
    const id = `get${homeWord(first)}APIGroup`;
    return { schema: apiGroup, id, tag: operationTag(first), description: 'Describes the group.' };
  }
  const { group, version } = groupAndVersionAt(path);
  const id = `get${homeWord(group, version)}APIResources`;
  return { schema: apiResourceList, id, tag: operationTag(group, version), description: 'Lists what is served here.' };
}

const coreVersions: DiscoveryDocument = {
  schema: apiVersions,
  id: 'getCoreAPIVersions',
  tag: 'core',
  description: 'Lists the versions of the core group.',
};

const namedGroups: DiscoveryDocument = {
  schema: apiGroupList,
  id: 'getAPIVersions',
  tag: 'apis',
  description: 'Lists the named groups.',
};
