import type { ObjectSchema } from '../schema/schema.ts';
import { apiVersionOf, type Kind } from './kind.ts';
import type { ApiObject } from './meta/object-meta.ts';

/** A group and version that a kind is served under. The one it is stored in needs no conversion. */
export interface ServedVersion {
  readonly kind: Kind;
  readonly group: string;
  readonly version: string;
  /** `v1`, or `extensions/v1beta1`. */
  readonly apiVersion: string;
  /** `/api/v1`, or `/apis/extensions/v1beta1`. */
  readonly prefix: string;
  readonly schema: ObjectSchema<ApiObject>;
  /** Absent for the stored version. Both leave their argument as it is. */
  readonly conversion?: Conversion;
  /** The code that answers a create: the contract's groups say 200, others 201. */
  readonly createdCode: 200 | 201;
}

export interface Conversion {
  toStored(object: ApiObject): ApiObject;
  fromStored(object: ApiObject): ApiObject;
}

/** The stored version first. */
export function servedVersions(kind: Kind): readonly ServedVersion[] {
  const stored = serve(kind, { group: kind.group, version: kind.version, schema: kind.schema });
  const others = kind.otherVersions ?? [];
  return [stored, ...others.map((other) => serve(kind, { ...other, conversion: other }))];
}

type Version = Pick<ServedVersion, 'group' | 'version' | 'conversion'> & { readonly schema: ObjectSchema<never> };

function serve(kind: Kind, { group, version, schema, conversion }: Version): ServedVersion {
  const apiVersion = apiVersionOf({ group, version });
  return {
    kind,
    group,
    version,
    apiVersion,
    prefix: group ? `/apis/${apiVersion}` : `/api/${apiVersion}`,
    schema: schema as ObjectSchema as ObjectSchema<ApiObject>,
    conversion,
    createdCode: contractGroups.has(group) ? 200 : 201,
  };
}

/** The groups of the contract, which says 200; others follow their own published specs. */
const contractGroups = new Set(['', 'extensions']);
