import type { ObjectSchema } from '../schema/schema.ts';
import { apiVersionOf, type Kind, type OtherVersion } from './kind.ts';
import type { ApiObject } from './meta/object-meta.ts';
import { renameField } from './rename-field.ts';

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
  /** Absent for the stored version. */
  readonly conversion?: Conversion;
  /** Rules of this version alone; they look at the stored form. */
  readonly rules?: Pick<OtherVersion, 'validate' | 'validateUpdate'>;
  /** Whether this is one of the groups that the contract is about; others follow their own published specs. */
  readonly inContract: boolean;
  /** The code that answers a create: the contract's groups say 200, others 201. */
  readonly createdCode: 200 | 201;
}

/** Between a served version and the stored one. Arguments stay as they are. */
export interface Conversion {
  toStored(object: ApiObject): ApiObject;
  fromStored(object: ApiObject): ApiObject;
  /** Where clients of this version find what stands at this place of the stored object. */
  fieldFromStored(field: string): string;
}

/** The stored version first. */
export function servedVersions(kind: Kind): readonly ServedVersion[] {
  const others = kind.otherVersions ?? [];
  return [serve(kind, kind), ...others.map((other) => serveOther(kind, other))];
}

type Version = Pick<OtherVersion, 'group' | 'version' | 'schema'>;

function serveOther(kind: Kind, other: OtherVersion): ServedVersion {
  return { ...serve(kind, other), conversion: conversionOf(kind, other), rules: other };
}

function serve(kind: Kind, { group, version, schema }: Version): ServedVersion {
  const apiVersion = apiVersionOf({ group, version });
  const inContract = contractGroups.has(group);
  return {
    kind,
    group,
    version,
    apiVersion,
    prefix: group ? `/apis/${apiVersion}` : `/api/${apiVersion}`,
    schema,
    inContract,
    createdCode: inContract ? 200 : 201,
  };
}

function conversionOf(kind: Kind, other: OtherVersion): Conversion {
  const storedIn = apiVersionOf(kind);
  const servedIn = apiVersionOf(other);
  return {
    toStored: (object) => ({ ...other.toStored(object), apiVersion: storedIn }),
    fromStored: (object) => ({ ...other.fromStored(object), apiVersion: servedIn }),
    fieldFromStored: (field) => renameField(other.renamedFields, field),
  };
}

const contractGroups = new Set(['', 'extensions']);
