import { componentStatus } from '../../kinds/core/component-status.ts';
import type { Kind } from '../../kinds/kind.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import { isQuestion, type AnsweredKind } from '../../registry/answered-kind.ts';
import type { Discovery } from '../discovery.ts';
import type { Routes } from '../route.ts';
import type { ApiOperation } from './api-operation.ts';
import { discoveryOperations } from './discovery-operations.ts';
import { resourceOperations } from './resource-operations.ts';
import { TypeCatalog } from './type-catalog.ts';

export interface ApiParts {
  readonly kinds: readonly Kind[];
  readonly answeredKinds?: readonly AnsweredKind[];
  readonly routes: Routes;
  readonly discovery: Discovery;
  /** The release of this program. */
  readonly release: string;
}

/** All that can be asked for, and the types it is made of; what every description is written from. */
export interface ApiDescription {
  readonly types: TypeCatalog;
  readonly operations: readonly ApiOperation[];
  readonly title: string;
  readonly version: string;
}

export function describeApi({ kinds, answeredKinds = [], routes, discovery, release }: ApiParts): ApiDescription {
  const computed = answeredKinds.flatMap((answered) => (isQuestion(answered) ? [] : [answered.kind]));
  const served = [...kinds, componentStatus, ...computed].flatMap((kind) => servedVersions(kind));
  const types = new TypeCatalog(
    served,
    answeredKinds.filter(isQuestion).map(({ kind }) => kind),
  );
  const operations = [...discoveryOperations(discovery, types), ...resourceOperations(routes, discovery, types)];
  return { types, operations, title: 'Wherry', version: release };
}

/** The operations of each part of the API, such as `api/v1`. */
export function partsOf({ operations }: ApiDescription): ReadonlyMap<string, readonly ApiOperation[]> {
  return groupOperations(operations, ({ part }) => part);
}

/** Operations by a key, in the order in which they come. */
export function groupOperations(
  operations: readonly ApiOperation[],
  key: (operation: ApiOperation) => string,
): ReadonlyMap<string, readonly ApiOperation[]> {
  const groups = new Map<string, ApiOperation[]>();
  for (const operation of operations) {
    const name = key(operation);
    const group = groups.get(name);
    if (group) group.push(operation);
    else groups.set(name, [operation]);
  }
  return groups;
}
