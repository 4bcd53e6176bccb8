/**
 * Where a field stands under its new name: the longest renamed place that it is, or lies in, gives way to the new one.
 * `{ 'spec.ref': 'spec.target' }` makes `spec.target.name` out of `spec.ref.name`, and leaves `spec.reference` as it is.
 */
export function renameField(renamed: Readonly<Record<string, string>>, field: string): string {
  let longest = '';
  for (const place of Object.keys(renamed)) {
    if (place.length > longest.length && isWithin(place, field)) longest = place;
  }
  return longest === '' ? field : renamed[longest]! + field.slice(longest.length);
}

function isWithin(place: string, field: string): boolean {
  const next = field.charAt(place.length);
  return field.startsWith(place) && (next === '' || next === '.' || next === '[');
}
