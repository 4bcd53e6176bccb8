import { binding } from '../../kinds/core/binding.ts';
import { autoscalingScale } from '../../kinds/extensions/autoscaling-scale.ts';
import { deploymentRollback } from '../../kinds/extensions/deployment-rollback.ts';
import { scale } from '../../kinds/extensions/scale.ts';
import type { Kind } from '../../kinds/kind.ts';
import { deleteOptions } from '../../kinds/meta/delete-options.ts';
import { status } from '../../kinds/meta/status.ts';
import type { ServedVersion } from '../../kinds/served-version.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { listSchema, sharedTypes, watchEvent } from './shared-types.ts';
import { TypeNames, typesWithin } from './type-names.ts';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** An object type as clients know it. */
export interface DescribedType {
  /** `io.k8s.api.core.v1.Pod`. */
  readonly name: string;
  readonly schema: ObjectSchema;
  /** The group it is described for; decides which types its fields mean. */
  readonly group: string;
  /** What objects of this type call themselves; empty for parts of objects. */
  readonly kinds: readonly GroupVersionKind[];
}

/** Kinds that are sent or answered, but not stored. */
const unstoredKinds: readonly (GroupVersionKind & { readonly schema: ObjectSchema })[] = [
  { group: '', version: 'v1', kind: 'Binding', schema: binding },
  { group: 'extensions', version: 'v1beta1', kind: 'Scale', schema: scale },
  { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: autoscalingScale },
  { group: 'extensions', version: 'v1beta1', kind: 'DeploymentRollback', schema: deploymentRollback },
];

/** Every type that requests and answers are made of, once by its full name. */
export class TypeCatalog {
  readonly #names: TypeNames;
  readonly #types = new Map<string, DescribedType>();
  /** Names of kinds, by schema: the items of a list are its group's own kind, whatever the core group has by that name. */
  readonly #kindNames = new Map<ObjectSchema, string>();

  constructor(served: readonly ServedVersion[], answered: readonly Kind[] = []) {
    const core = served.filter(({ group }) => group === '').map(({ schema }) => schema);
    this.#names = new TypeNames(core);
    const versions = [
      ...new Map(served.map(({ apiVersion, group, version }) => [apiVersion, { group, version }])).values(),
    ];
    for (const schema of sharedTypes) this.#addShared(schema, versions);
    for (const version of served) this.#addServed(version);
    for (const kind of [...unstoredKinds, ...answered]) this.#addKind(kind, kind.schema);
  }

  get all(): IterableIterator<DescribedType> {
    return this.#types.values();
  }

  /** The type of a field, request or answer of this group. */
  of(schema: ObjectSchema, group: string): DescribedType {
    return this.#get(this.#nameOf(schema, group));
  }

  ofKind({ group, version, kind }: GroupVersionKind): DescribedType {
    return this.#get(this.#names.ofKind(group, version, kind));
  }

  #nameOf(schema: ObjectSchema, group: string): string {
    return this.#kindNames.get(schema) ?? this.#names.of(schema, group);
  }

  #get(name: string): DescribedType {
    const type = this.#types.get(name);
    if (!type) throw new Error(`there is no type ${name}`);
    return type;
  }

  #addServed(served: ServedVersion): void {
    const { group, version, kind, schema } = served;
    this.#addKind({ group, version, kind: kind.kind }, schema);
    this.#addKind({ group, version, kind: `${kind.kind}List` }, listSchema(served));
  }

  #addKind({ group, version, kind }: GroupVersionKind, schema: ObjectSchema): void {
    const name = this.#names.ofKind(group, version, kind);
    this.#kindNames.set(schema, name);
    this.#types.set(name, { name, schema, group, kinds: [{ group, version, kind }] });
    this.#addParts(schema, group);
  }

  /** Options and events are read in every group; a Status is always of the core group. */
  #addShared(schema: ObjectSchema, versions: readonly Omit<GroupVersionKind, 'kind'>[]): void {
    const name = this.#names.of(schema, '');
    const kind = name.slice(name.lastIndexOf('.') + 1);
    const everywhere = schema === deleteOptions || schema === watchEvent;
    const isKind = schema === status || kind.startsWith('API');
    const kinds = everywhere
      ? versions.map((each) => ({ ...each, kind }))
      : isKind
        ? [{ group: '', version: 'v1', kind }]
        : [];
    this.#types.set(name, { name, schema, group: '', kinds });
    this.#addParts(schema, '');
  }

  /** A type that several others are made of is described once. Types of one name have the same fields; the first is taken. */
  #addParts(schema: ObjectSchema, group: string): void {
    for (const part of typesWithin(schema)) {
      if (part === schema) continue;
      const name = this.#nameOf(part, group);
      if (!this.#types.has(name)) this.#types.set(name, { name, schema: part, group, kinds: [] });
    }
  }
}
