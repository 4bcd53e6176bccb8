import type { IntegerSchema, NamedField, Schema } from '../../schema/schema.ts';
import { plainTypes, type PlainType } from './plain-types.ts';
import type { DescribedType, GroupVersionKind, TypeCatalog } from './type-catalog.ts';

/** A schema in JSON, as both versions of OpenAPI have it. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly allOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** Where the two versions differ. */
export interface Dialect {
  /** Where named types stand, such as `#/definitions/`. */
  readonly refPrefix: string;
  /** Whether a reference stands alone, so that what is special about a field must stand around it. */
  readonly wrapsRefs: boolean;
  /** Named types of plain values, where they need more than a type. */
  plain(type: PlainType): JsonSchema;
}

/** Writes types as JSON schemas. Remembers what was referred to, so that a document has just the types it needs. */
export class JsonSchemaWriter {
  readonly #dialect: Dialect;
  readonly #types: TypeCatalog;
  readonly #open: DescribedType[] = [];
  readonly #schemas = new Map<string, JsonSchema | undefined>();

  constructor(dialect: Dialect, types: TypeCatalog) {
    this.#dialect = dialect;
    this.#types = types;
  }

  refTo(type: DescribedType): JsonSchema {
    if (!this.#schemas.has(type.name)) {
      this.#schemas.set(type.name, undefined);
      this.#open.push(type);
    }
    return { $ref: `${this.#dialect.refPrefix}${type.name}` };
  }

  /** All types that were referred to, and what they are made of, in order of their names. */
  takeSchemas(): Record<string, JsonSchema> {
    for (let type = this.#open.pop(); type; type = this.#open.pop()) this.#schemas.set(type.name, this.#type(type));
    const byName = [...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(byName) as Record<string, JsonSchema>;
  }

  #type({ schema, group, kinds }: DescribedType): JsonSchema {
    const properties = schema.fieldList.map((field) => [field.name, this.#field(field, group)] as const);
    const required = schema.fieldList.filter(isRequired).map(({ name }) => name);
    return {
      description: schema.description,
      type: 'object',
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
      ...(kinds.length > 0 && { 'x-kubernetes-group-version-kind': kinds }),
    };
  }

  #field(field: NamedField, group: string): JsonSchema {
    const { $ref, ...value } = this.#value(field.schema, group);
    const reference = $ref === undefined ? {} : this.#dialect.wrapsRefs ? { allOf: [{ $ref }] } : { $ref };
    return {
      description: field.description,
      ...reference,
      ...value,
      ...(hasTellingDefault(field) && { default: field.default }),
      ...(field.schema.type === 'integer' && boundsOf(field.schema, field)),
      ...(field.merge && {
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': field.merge.key,
      }),
    };
  }

  #value(schema: Schema, group: string): JsonSchema {
    switch (schema.type) {
      case 'string':
        return schema.oneOf ? { type: 'string', enum: schema.oneOf } : { type: 'string' };
      case 'integer':
        return { type: 'integer', format: `int${schema.bits}` };
      case 'boolean':
        return { type: 'boolean' };
      case 'bytes':
        return { type: 'string', format: 'byte' };
      case 'quantity':
      case 'time':
      case 'intOrString':
        return this.#plain(plainTypes[schema.type]);
      case 'any':
        return {};
      case 'list':
        return { type: 'array', items: this.#value(schema.item, group) };
      case 'map':
        return { type: 'object', additionalProperties: this.#value(schema.value, group) };
      default:
        return this.refTo(this.#types.of(schema, group));
    }
  }

  #plain(type: PlainType): JsonSchema {
    this.#schemas.set(type.name, this.#dialect.plain(type));
    return { $ref: `${this.#dialect.refPrefix}${type.name}` };
  }
}

/** What the server fills in by itself is not required: clients would refuse bodies that it takes. */
export function isRequired(field: NamedField): boolean {
  return field.required && field.default === undefined;
}

/** Objects that are always there, and values that mean nothing, need no mention. */
function hasTellingDefault(field: NamedField): boolean {
  return Boolean(field.default) && typeof field.default !== 'object';
}

/** A zero that counts as nothing is taken whatever the bounds are, so it must be within what is told. */
function boundsOf({ min, max }: IntegerSchema, { keepsZero }: NamedField): JsonSchema {
  return {
    ...(min !== undefined && { minimum: keepsZero ? min : Math.min(min, 0) }),
    ...(max !== undefined && { maximum: max }),
  };
}
