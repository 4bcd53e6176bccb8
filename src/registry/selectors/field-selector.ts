import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import { parseFieldRequirements, type FieldRequirement } from './field-selector-parser.ts';

/** What a field selector needs to know of a kind. */
export interface SelectableKind {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly selectableFields: Readonly<Record<string, (object: never) => string>>;
}

/** The values of an object's selectable fields by name; what is missing counts as empty. */
export type SelectableFields = Readonly<Record<string, string>>;

/** Conditions on fields that must all hold. Matching allocates nothing. */
export class FieldSelector {
  static readonly everything = new FieldSelector([], { kind: '', namespaced: false, selectableFields: {} });

  readonly requirements: readonly FieldRequirement[];
  /** For each field that must have one value, that value: what an index can look up. */
  readonly exact: ReadonlyMap<string, string>;
  readonly #readers: readonly ((object: never) => string)[];

  constructor(requirements: readonly FieldRequirement[], kind: SelectableKind) {
    this.requirements = requirements;
    this.exact = new Map(
      requirements.filter(({ operator }) => operator === '=').map((each) => [each.field, each.value]),
    );
    this.#readers = requirements.map(({ field }) => readerOf(field, kind) ?? (() => ''));
  }

  get isEverything(): boolean {
    return this.requirements.length === 0;
  }

  matches(fields: SelectableFields): boolean {
    for (const requirement of this.requirements) {
      if (!meets(requirement, fields[requirement.field] ?? '')) return false;
    }
    return true;
  }

  /** As `matches`, reading the fields out of an object of the kind that the selector was made for. */
  matchesObject(object: ApiObject): boolean {
    for (let i = 0; i < this.requirements.length; i++) {
      const read = this.#readers[i] as (object: ApiObject) => string;
      if (!meets(this.requirements[i] as FieldRequirement, read(object))) return false;
    }
    return true;
  }

  /** The same selector in its canonical spelling. */
  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => `${field}${operator}${value.replaceAll(/[\\,=]/g, String.raw`\$&`)}`)
      .join(',');
  }
}

function meets({ operator, value }: FieldRequirement, actual: string): boolean {
  return (actual === value) === (operator === '=');
}

function nameOf(object: ApiObject): string {
  return object.metadata.name ?? '';
}

function namespaceOf(object: ApiObject): string {
  return object.metadata.namespace ?? '';
}

/** How a field of this kind is read; nothing when it cannot be selected on. */
function readerOf(
  field: string,
  { namespaced, selectableFields }: SelectableKind,
): ((object: never) => string) | undefined {
  if (field === 'metadata.name') return nameOf;
  if (field === 'metadata.namespace') return namespaced ? namespaceOf : undefined;
  return Object.hasOwn(selectableFields, field) ? selectableFields[field] : undefined;
}

/** Reads `status.phase!=Running,metadata.name=web`; refuses with 400 what cannot be read and fields that the kind does not have. */
export function parseFieldSelector(text: string, kind: SelectableKind): FieldSelector {
  const requirements = parseFieldRequirements(text, (field) => {
    if (readerOf(field, kind)) return undefined;
    const shared = kind.namespaced ? ['metadata.name', 'metadata.namespace'] : ['metadata.name'];
    const known = new Set([...shared, ...Object.keys(kind.selectableFields)]);
    return `"${field}" cannot be selected on for ${kind.kind}; use ${[...known].join(', ')}`;
  });
  return requirements.length === 0 ? FieldSelector.everything : new FieldSelector(requirements, kind);
}
