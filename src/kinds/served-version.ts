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
  return [storedVersion(kind)];
}

function storedVersion(kind: Kind): ServedVersion {
  const apiVersion = apiVersionOf(kind);
  return {
    kind,
    group: kind.group,
    version: kind.version,
    apiVersion,
    prefix: kind.group ? `/apis/${apiVersion}` : `/api/${apiVersion}`,
    schema: kind.schema,
    createdCode: 200,
  };
}
