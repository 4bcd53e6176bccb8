/**
 * Where a field stands in the binary form of its type: its number or, for a field of a message that JSON shows as part of the
 * one around it, the number of that message and the number in there.
 */
export type FieldNumber = number | readonly [number, number];

/**
 * The numbers of fields by the name of their type, such as `PodSpec` or, where versions differ, `v1beta1.IngressSpec`. Fields that the schema does
 * not have may be listed, too: they are unknown like any other, but can be told by name.
 */
export type MessageNumbers = Readonly<Record<string, Readonly<Record<string, FieldNumber>>>>;

/** The fields of a type with their numbers; those under the full name of the type come first. */
export function numbersOf(numbers: MessageNumbers, typeName: string): Readonly<Record<string, FieldNumber>> {
  const found = numbers[typeName] ?? numbers[typeName.slice(typeName.indexOf('.') + 1)];
  if (!found) throw new Error(`the fields of ${typeName} have no numbers`);
  return found;
}
