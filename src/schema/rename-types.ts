import { ruledOf } from './has-rules.ts';
import type { Field, ObjectSchema, Schema } from './schema.ts';

/**
 * The same type under the names of another version: from `v1beta1` to `v1`, `v1beta1.JobStatus` becomes `v1.JobStatus`, and so do the types
 * within it. Types of other versions are left as they are.
 */
export function renameTypes<T>(schema: ObjectSchema<T>, from: string, to: string): ObjectSchema<T> {
  const rename = (type: Schema): Schema => {
    switch (type.type) {
      case 'list':
        return { ...type, item: rename(type.item) };
      case 'map':
        return { ...type, value: rename(type.value) };
      case 'object':
        return renameTypes(type, from, to);
      default:
        return type;
    }
  };
  const renameIn = <F extends Field>(field: F): F => ({ ...field, schema: rename(field.schema) });
  const fields = Object.fromEntries(Object.entries(schema.fields).map(([name, field]) => [name, renameIn(field)]));
  const name = schema.name.startsWith(`${from}.`) ? `${to}${schema.name.slice(from.length)}` : schema.name;
  const fieldList = schema.fieldList.map(renameIn);
  return { ...schema, name, fields, fieldList, ruledFields: ruledOf(fieldList) };
}
