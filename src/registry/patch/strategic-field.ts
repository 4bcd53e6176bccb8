import type { Field, Schema } from '../../schema/schema.ts';

/** What strategic merge needs to know of a field. The values of a map have a type, but no rule of their own. */
export type MergeField = Pick<Field, 'schema' | 'merge'>;

/** The field that `key` stands for in an object or map of this type; nothing for what the type does not know. */
export function mergeFieldOf(schema: Schema, key: string): MergeField | undefined {
  if (schema.type === 'map') return { schema: schema.value };
  return schema.type === 'object' && Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
}
