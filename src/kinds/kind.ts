import { one, object, string } from '../schema/builders.ts';
import type { FieldBuilder } from '../schema/builders.ts';
import type { FieldErrors } from '../schema/field-errors.ts';
import type { Format, ObjectHooks, ObjectSchema } from '../schema/schema.ts';
import { ageColumn, nameColumn, type Column } from './column.ts';
import { objectMeta, type ApiObject } from './meta/object-meta.ts';

export const allVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const;
export type Verb = (typeof allVerbs)[number];

/** What a write may use besides the object: the outside world is passed in. */
export interface WriteContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A fresh uid. */
  uid(): string;
}

/** Readers of fields by path. Methods, so that a kind of its own type still counts as a kind of any. */
export type SelectableFields<T> = Readonly<Record<string, { read(object: T): string }['read']>>;

/** How a kind's number of replicas is read and set through `/scale`. */
export interface ScaleRule<T> {
  getReplicas(object: T): number;
  setReplicas(object: T, replicas: number): void;
  getStatusReplicas(object: T): number;
  /** The selector as text, and its equality part as a map. */
  getSelector(object: T): { readonly text: string; readonly labels?: Record<string, string> };
}

/**
 * Another group and version that objects of a kind are served under. What is stored stays the same, and the rules of the stored version hold,
 * told in this version's field names. A version may be stricter with what is written through it, never laxer.
 */
export interface OtherVersion<Stored extends ApiObject = ApiObject, Served extends ApiObject = ApiObject> {
  readonly group: string;
  readonly version: string;
  /** How bodies are read and completed. Rules of its own (`validate`) are not looked at. */
  readonly schema: ObjectSchema<Served>;
  /** Where a field that goes by another name here stands, by where it is stored: `{ 'spec.scaleRef': 'spec.scaleTargetRef' }`. */
  readonly renamedFields: Readonly<Record<string, string>>;
  /** Both give a new object, complete as its schema would have made it, and leave their argument as it is. kind and apiVersion are seen to. */
  toStored(object: Served): Stored;
  fromStored(object: Stored): Served;
  /** Further rules for what is written through this version. They look at what is to be stored and name its fields. */
  validate?(object: Stored, errors: FieldErrors): void;
  /** As above, for what a change may not do. Status is not looked at. */
  validateUpdate?(object: Stored, old: Stored, errors: FieldErrors): void;
}

/**
 * All there is to know about a kind. Everything the server does for it is derived from here.
 * Hooks that a kind does not need are absent.
 */
export interface Kind<T extends ApiObject = ApiObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Path segment, plural. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  readonly schema: ObjectSchema<T>;
  readonly verbs: readonly Verb[];
  /** The rule for metadata.name. */
  readonly nameFormat: Format;
  /** There is a `/status` sub-resource, and status is written only through it. */
  readonly hasStatus: boolean;
  /** metadata.generation counts changes of the spec. */
  readonly countsGenerations: boolean;
  /** PUT to a missing name creates it. */
  readonly createsOnUpdate: boolean;
  /** PUT must carry a resourceVersion (422 otherwise). */
  readonly requiresVersionOnUpdate: boolean;
  /** What is wrong with the metadata of a new object is told only when the rest is right. */
  readonly metadataComesLast?: boolean;
  /** DELETE answers with the deleted object rather than with a Status. */
  readonly deleteAnswersObject: boolean;
  /** Field selectors besides metadata.name and metadata.namespace. */
  readonly selectableFields: SelectableFields<T>;
  /** How tables show the objects, whatever version they are served in. */
  readonly columns: readonly Column<T>[];
  readonly scale?: ScaleRule<T>;
  /** Objects go by themselves so long after their last change; metadata.deletionTimestamp says when, as in the reference. */
  readonly lifetimeSeconds?: number;
  readonly otherVersions?: readonly OtherVersion<T>[];
  /** A small valid object; a generic suite runs it through every verb. */
  readonly example: T;

  /** Brings a new object into its first state: clears what only the server writes. Defaults are applied already. */
  prepareForCreate?(object: T, context: WriteContext): void;
  /** Carries over what a replace may not touch. Status is carried over already where the kind has a `/status`. */
  prepareForUpdate?(object: T, old: T, context: WriteContext): void;
  /** As above for `/status`: spec is carried over already. */
  prepareForStatusUpdate?(object: T, old: T, context: WriteContext): void;
  /** What a new object must keep to beyond what its schema says. */
  validateCreate?(object: T, errors: FieldErrors): void;
  /** Brings an object that keeps to all rules into the one form in which it is stored; refuses by throwing an `ApiError` where that would be too large. */
  canonicalize?(object: T): void;
  /** What a change may not do; the new object's own rules were checked already. */
  validateUpdate?(object: T, old: T, errors: FieldErrors): void;
  validateStatusUpdate?(object: T, old: T, errors: FieldErrors): void;
  /** Seconds the object is given to end, when deletion is asked for with `asked`; 0 removes at once. Absent: always at once. */
  gracePeriod?(object: T, asked: number | undefined): number;
  /** Whether something must still happen before a deleted object may go, besides metadata.finalizers. Such objects are deleted twice: marked, then removed. */
  holdsDeletion?(object: T): boolean;
  /** Notes in a deleted object that it is on its way out. */
  markDeletion?(object: T): void;
  /** Strips what a user cannot specify, for `?export=true`. Metadata is done already. */
  prepareForExport?(object: T, exact: boolean): void;
}

type OptionalParts = {
  singular: string;
  shortNames: readonly string[];
  verbs: readonly Verb[];
  hasStatus: boolean;
  countsGenerations: boolean;
  createsOnUpdate: boolean;
  requiresVersionOnUpdate: boolean;
  deleteAnswersObject: boolean;
  selectableFields: SelectableFields<never>;
  columns: readonly Column<never>[];
};

export type KindDefinition<T extends ApiObject> = Omit<Kind<T>, keyof OptionalParts> &
  Partial<Pick<Kind<T>, keyof OptionalParts>>;

/** Completes a definition with what most kinds have. */
export function defineKind<T extends ApiObject>(definition: KindDefinition<T>): Kind<T> {
  return {
    singular: definition.kind.toLowerCase(),
    shortNames: [],
    verbs: allVerbs,
    hasStatus: false,
    countsGenerations: false,
    createsOnUpdate: false,
    requiresVersionOnUpdate: false,
    deleteAnswersObject: false,
    selectableFields: {},
    columns: [nameColumn, ageColumn],
    ...definition,
  };
}

/** `v1`, or `extensions/v1beta1`. */
export function apiVersionOf(kind: { group: string; version: string }): string {
  return kind.group ? `${kind.group}/${kind.version}` : kind.version;
}

/** The fields that stand before a kind's own, in this order: stored bytes begin with them. */
function objectFields(
  apiVersion: string,
  kind: string,
): {
  kind: FieldBuilder<string>;
  apiVersion: FieldBuilder<string>;
  metadata: FieldBuilder<ApiObject['metadata']>;
} {
  return {
    kind: string('The kind of object this is.').defaultsTo(kind),
    apiVersion: string('Group and version that the object is written in.').defaultsTo(apiVersion),
    metadata: one(objectMeta, 'Name, labels and what else every object has.').defaultsTo({}),
  };
}

/** The schema of a whole kind: its own fields behind kind, apiVersion and metadata. */
export function kindSchema<T extends ApiObject>(
  identity: { apiVersion: string; kind: string; description: string },
  fields: Readonly<Record<string, FieldBuilder<never, boolean> | FieldBuilder<unknown, boolean>>>,
  hooks: ObjectHooks<T> = {},
): ObjectSchema<T> {
  const name = `${identity.apiVersion.split('/').pop()}.${identity.kind}`;
  return object<T>(
    name,
    identity.description,
    { ...objectFields(identity.apiVersion, identity.kind), ...fields },
    hooks,
  );
}
