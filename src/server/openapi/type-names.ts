import type { ObjectSchema, Schema } from '../../schema/schema.ts';
import { sharedTypes } from './shared-types.ts';

/** Every object type that a type is made of, itself first. */
export function typesWithin(schema: Schema, found: Set<ObjectSchema> = new Set()): ReadonlySet<ObjectSchema> {
  if (schema.type === 'list') return typesWithin(schema.item, found);
  if (schema.type === 'map') return typesWithin(schema.value, found);
  if (schema.type !== 'object' || found.has(schema)) return found;
  found.add(schema);
  for (const field of schema.fieldList) typesWithin(field.schema, found);
  return found;
}

const sharedPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The package that clients know a group's types by: `rbac.authorization.k8s.io` and `v1` give `io.k8s.api.rbac.v1`. */
function packageOf(group: string, version: string): string {
  return `io.k8s.api.${group === '' ? 'core' : group.split('.')[0]}.${version}`;
}

/**
 * The full names of types, which clients look for. Schemas know only `v1.PodSpec`: which group that belongs to follows from where it
 * is used. Types that all groups share come first, then those of the core group, which the others use; the rest are a group's own.
 */
export class TypeNames {
  readonly #shared: ReadonlySet<string>;
  readonly #core: ReadonlySet<string>;

  constructor(coreKinds: readonly ObjectSchema[]) {
    this.#shared = new Set(sharedTypes.flatMap((type) => [...typesWithin(type)]).map(({ name }) => bareName(name)));
    this.#core = new Set(coreKinds.flatMap((kind) => [...typesWithin(kind)]).map(({ name }) => name));
  }

  /** The name of a type that a kind, a request or an answer of this group is, or is made of. */
  of(schema: ObjectSchema, group: string): string {
    const [version = '', type = ''] = schema.name.split('.');
    if (this.#shared.has(type)) return `${sharedPackage}.${type}`;
    const home = this.#core.has(schema.name) ? '' : group;
    return `${packageOf(home, version)}.${type}`;
  }

  /** The name of a kind, which is its group's own even when the core group has a kind of the same name. */
  ofKind(group: string, version: string, kind: string): string {
    return `${packageOf(group, version)}.${kind}`;
  }
}

function bareName(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

const unversioned =
  /^v1\.(?:ListMeta|Status|StatusCause|StatusDetails|Patch|API\w+|GroupVersionForDiscovery|ServerAddress\w+)$/;

/** The name of a type in Swagger 1.2: as its schema has it, but for what the reference keeps apart from all versions. */
export function swaggerName({ name }: ObjectSchema): string {
  if (name === 'v1.WatchEvent') return 'json.WatchEvent';
  return unversioned.test(name) ? `unversioned.${bareName(name)}` : name;
}
